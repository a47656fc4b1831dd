//! The fetch command: the one word of a launch that a caller chooses, and so hostile input.
//!
//! It stands inside allowlist patterns, where a comma ends a pattern, a parenthesis closes it and `:*` widens it.
//! No agent documents a way to escape them, so what cannot be expressed is refused.

use std::fmt;

use thiserror::Error;

/// The executable that the prompt tells the model to run, in a form that cannot add or change a pattern.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Fetch(String);

/// Why a fetch command was refused.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
pub enum FetchError {
    /// No name at all.
    #[error("the fetch command is empty: name an executable")]
    Empty,
    /// A character that an allowlist pattern cannot hold.
    #[error(
        "the fetch command {command:?} holds {character:?} at byte {at}, which would change the allowlist: use a path of letters, digits and `/ . _ - + @ %`"
    )]
    Character {
        /// The command.
        command: String,
        /// The first such character.
        character: char,
        /// Where it stands.
        at: usize,
    },
    /// A word that a shell or an agent would read as an option.
    #[error("the fetch command {command:?} begins with `-` and would be read as an option: give its path")]
    Option {
        /// The command.
        command: String,
    },
    /// A program that runs its arguments, so that allowing it allows everything.
    #[error(
        "the fetch command {command:?} runs whatever its arguments say: allowing it would allow everything"
    )]
    Interpreter {
        /// The command.
        command: String,
    },
}

/// Programs that run what they are given. The list catches mistakes; it is no boundary.
const INTERPRETERS: [&str; 26] = [
    "bash", "bunx", "busybox", "cmd", "dash", "deno", "doas", "env", "eval", "exec", "fish", "git", "ksh",
    "nice", "node", "nohup", "npx", "perl", "python", "python3", "ruby", "sh", "sudo", "timeout", "xargs",
    "zsh",
];

impl Fetch {
    /// Takes a command name or a path.
    ///
    /// # Errors
    ///
    /// [`FetchError`] for everything that could add a pattern, change one, or be read as something else.
    pub fn new(command: &str) -> Result<Self, FetchError> {
        if command.is_empty() {
            return Err(FetchError::Empty);
        }
        let expressible = |c: char| c.is_alphanumeric() || "/._-+@%".contains(c);
        if let Some((at, character)) = command.char_indices().find(|&(_, c)| !expressible(c)) {
            return Err(FetchError::Character { command: command.to_owned(), character, at });
        }
        if command.starts_with('-') {
            return Err(FetchError::Option { command: command.to_owned() });
        }
        let name = command.rsplit('/').next().unwrap_or(command);
        if INTERPRETERS.contains(&name.to_lowercase().as_str()) {
            return Err(FetchError::Interpreter { command: command.to_owned() });
        }
        Ok(Self(command.to_owned()))
    }

    /// The command as it stands in the argv.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Fetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
