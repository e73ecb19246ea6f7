//! Columns of values for CSV and Parquet: one kind of value each; unknown values are absent.

/// A named column.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) values: Values,
}

/// The values of a column, one per row.
#[derive(Debug)]
pub(crate) enum Values {
    Words(Vec<Option<String>>),
    Counts(Vec<Option<u64>>),
    Numbers(Vec<Option<f64>>),
    Flags(Vec<Option<bool>>),
}

impl Column {
    pub(crate) fn new(name: String, values: impl Into<Values>) -> Self {
        Self { name, values: values.into() }
    }
}

impl From<Vec<Option<String>>> for Values {
    fn from(values: Vec<Option<String>>) -> Self {
        Self::Words(values)
    }
}

impl From<Vec<String>> for Values {
    fn from(values: Vec<String>) -> Self {
        Self::Words(values.into_iter().map(Some).collect())
    }
}

impl From<Vec<Option<&str>>> for Values {
    fn from(values: Vec<Option<&str>>) -> Self {
        Self::Words(values.into_iter().map(|value| value.map(str::to_owned)).collect())
    }
}

impl From<Vec<&str>> for Values {
    fn from(values: Vec<&str>) -> Self {
        Self::Words(values.into_iter().map(|value| Some(value.to_owned())).collect())
    }
}

impl From<Vec<Option<u64>>> for Values {
    fn from(values: Vec<Option<u64>>) -> Self {
        Self::Counts(values)
    }
}

impl From<Vec<Option<f64>>> for Values {
    /// What is not a number is absent.
    fn from(values: Vec<Option<f64>>) -> Self {
        Self::Numbers(values.into_iter().map(|value| value.filter(|value| value.is_finite())).collect())
    }
}

impl From<Vec<f64>> for Values {
    fn from(values: Vec<f64>) -> Self {
        values.into_iter().map(Some).collect::<Vec<_>>().into()
    }
}

impl From<Vec<Option<bool>>> for Values {
    fn from(values: Vec<Option<bool>>) -> Self {
        Self::Flags(values)
    }
}

impl From<Vec<bool>> for Values {
    fn from(values: Vec<bool>) -> Self {
        Self::Flags(values.into_iter().map(Some).collect())
    }
}
