//! The arguments of `pdiff completions`.

use clap::Args;

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  pdiff completions bash > ~/.local/share/bash-completion/completions/pdiff
  pdiff completions zsh > ~/.zfunc/_pdiff
  pdiff completions fish > ~/.config/fish/completions/pdiff.fish";

#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}
