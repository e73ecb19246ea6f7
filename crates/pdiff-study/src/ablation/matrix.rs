//! Small dense matrices, as far as a mixed model needs them.

/// A matrix by rows.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    pub(super) fn zero(rows: usize, columns: usize) -> Self {
        Self { rows, columns, values: vec![0.0; rows * columns] }
    }

    pub(super) fn from_fn(rows: usize, columns: usize, value: impl Fn(usize, usize) -> f64) -> Self {
        let values = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        Self { rows, columns, values: values.map(|(row, column)| value(row, column)).collect() }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        self.values.get(row * self.columns + column).copied().unwrap_or(0.0)
    }

    pub(super) fn set(&mut self, row: usize, column: usize, value: f64) {
        if let Some(slot) = self.values.get_mut(row * self.columns + column) {
            *slot = value;
        }
    }

    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        if let Some(slot) = self.values.get_mut(row * self.columns + column) {
            *slot += value;
        }
    }

    fn row(&self, row: usize) -> &[f64] {
        self.values.get(row * self.columns..(row + 1) * self.columns).unwrap_or_default()
    }

    pub(super) fn transposed(&self) -> Self {
        Self::from_fn(self.columns, self.rows, |row, column| self.at(column, row))
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.rows, other.columns);
        if other.columns == 0 {
            return product;
        }
        for (row, out) in product.values.chunks_exact_mut(other.columns).enumerate() {
            for (at, factor) in self.row(row).iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
                out.iter_mut().zip(other.row(at)).for_each(|(sum, value)| *sum += factor * value);
            }
        }
        product
    }

    pub(super) fn times_vector(&self, vector: &[f64]) -> Vec<f64> {
        (0..self.rows).map(|row| self.row(row).iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
    }

    pub(super) fn trace(&self) -> f64 {
        (0..self.rows).map(|at| self.at(at, at)).sum()
    }

    /// The trace of this matrix times another.
    pub(super) fn trace_of_product(&self, other: &Self) -> f64 {
        let other = other.transposed();
        self.values.iter().zip(&other.values).map(|(a, b)| a * b).sum()
    }

    /// The inverse by elimination with the largest pivot; `None` if there is none.
    pub(super) fn inverse(&self) -> Option<Self> {
        let size = self.rows;
        let width = 2 * size;
        let mut work = Self::from_fn(size, width, |row, column| match column.checked_sub(size) {
            None => self.at(row, column),
            Some(unit) => f64::from(u8::from(unit == row)),
        });
        let scale = self.values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        for at in 0..size {
            let best = (at..size).max_by(|a, b| work.at(*a, at).abs().total_cmp(&work.at(*b, at).abs()))?;
            let pivot = work.at(best, at);
            if pivot.abs() <= 1e-13 * scale {
                return None;
            }
            let (top, chosen) = (work.row(at).to_vec(), work.row(best).to_vec());
            let chosen: Vec<f64> = chosen.into_iter().map(|value| value / pivot).collect();
            for (row, out) in work.values.chunks_exact_mut(width).enumerate() {
                if row == best && best != at {
                    out.copy_from_slice(&top);
                }
                if row == at {
                    out.copy_from_slice(&chosen);
                    continue;
                }
                let factor = out.get(at).copied().unwrap_or(0.0);
                if factor != 0.0 {
                    out.iter_mut().zip(&chosen).for_each(|(value, of)| *value -= factor * of);
                }
            }
        }
        Some(Self::from_fn(size, size, |row, column| work.at(row, size + column)))
    }

    /// The solution of this matrix times it being `of`.
    pub(super) fn solved(&self, of: &[f64]) -> Option<Vec<f64>> {
        Some(self.inverse()?.times_vector(of))
    }
}
