//! What a caller of language models needs to know of one.

use crate::backend::LlmError;

/// A one-shot completion: a prompt in, the raw text out. No streaming, no state.
pub trait LlmBackend: Send + Sync {
    /// The product's name for a person, for example `Claude Code`. Never a command line.
    fn name(&self) -> &str;

    /// Everything that could change the answer and nothing that could not. Caches hash it.
    fn identity(&self) -> &str {
        self.name()
    }

    /// Runs the model once.
    ///
    /// # Errors
    ///
    /// [`LlmError`], which carries the whole command.
    fn complete(&self, prompt: &str) -> Result<String, LlmError>;
}
