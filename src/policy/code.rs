//! The stable codes of findings: severity, title, explanation and fix, for `explain` and `list codes`.

use std::fmt;

use crate::model::Severity;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal, $severity:ident, $title:literal, $explanation:literal, $fix:literal;)+) => {
        /// What a finding about a launch is about.
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum Code {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The code as it stands in events.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// How bad a finding with this code is, unless a dialect says otherwise.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)+ }
            }

            /// What was found, in a few words.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)+ }
            }

            /// Why it matters.
            #[must_use]
            pub fn explanation(self) -> &'static str {
                match self { $(Self::$variant => $explanation,)+ }
            }

            /// What to do about it.
            #[must_use]
            pub fn fix(self) -> &'static str {
                match self { $(Self::$variant => $fix,)+ }
            }
        }
    };
}

codes! {
    /// A flag, value or key gives the boundary away.
    ForbiddenFlag = "forbidden-flag", Error,
        "A flag that gives the boundary away",
        "Some flags, values of flags and configuration keys switch the agent's boundary off, and they win in silence over the words that set it. Every spelling counts: aliases and hidden names, `--flag=value`, values attached to a short name, clusters of short names, before the sub-command, negated, with `=false`, and spellings of other agents, which may be this one's tomorrow.",
        "Take it out.";
    /// A variable gives the boundary away.
    ForbiddenEnv = "forbidden-env", Error,
        "A variable that gives the boundary away",
        "Some flags have a twin in the environment, and some variables make the agent or the shell run what they name. The argv shows nothing of it.",
        "Do not set the variable.";
    /// A variable that can open the boundary passes from the caller.
    InheritedEnv = "inherited-env", Warning,
        "A variable that can open the boundary passes from the caller",
        "Whether the boundary holds is then a matter of the caller's environment, which the launch does not show.",
        "Take the variable out of `env_from`.";
    /// A value that nobody measured of a variable that matters.
    DoubtfulEnv = "doubtful-env", Warning,
        "A value that nobody measured, of a variable that matters",
        "The values that switch it on and off are known; whether this one does is not.",
        "Do not set the variable.";
    /// A variable adds rights.
    WideningEnv = "widening-env", Warning,
        "A variable that adds rights",
        "The variable gives the agent something that the argv does not show.",
        "Do not set the variable, or list what it gives under `grants`.";
    /// A word that pins the boundary is missing.
    MissingPin = "missing-pin", Error,
        "A word that pins the boundary is missing",
        "What the argv does not say, a settings file or a default decides, and defaults move.",
        "Add the word.";
    /// A later word takes the place of one that pins the boundary.
    OverriddenPin = "overridden-pin", Error,
        "A later word overrides the one that pins the boundary",
        "This agent takes the last one and says nothing.",
        "Keep the word that pins, and remove the other.";
    /// A word that pins the boundary stands where nobody measured it.
    UnmeasuredPlace = "unmeasured-place", Note,
        "A word that pins the boundary stands before the sub-command",
        "The agent accepts it there; that it is in force there as well was not measured.",
        "Put it behind the sub-command.";
    /// A launch that must be sealed reads ambient configuration.
    NotSealed = "not-sealed", Error,
        "Ambient configuration is not excluded",
        "The launch says `sealed = true`, but files of the user or the repository still take part in the run.",
        "Add the word that seals it, or take `sealed` back.";
    /// A flag stands twice and the agent refuses that.
    RejectedRepeat = "rejected-repeat", Error,
        "A flag stands twice, which the agent refuses",
        "The launch does not start, and a version that takes the last one would follow the second.",
        "Keep one of them.";
    /// A flag that matters stands twice.
    RepeatedFlag = "repeated-flag", Warning,
        "A flag that matters stands twice",
        "The last one wins in silence, so the first says nothing about what runs.",
        "Keep one of them.";
    /// A flag or the prompt is eaten as a value.
    SwallowedFlag = "swallowed-flag", Error,
        "A word is eaten as the value of the flag before it",
        "The parser takes the next word whatever it is: a flag that is eaten has no effect, and a prompt that is eaten becomes a tool name.",
        "Give the flag its value, or put `--` before the prompt.";
    /// A value is missing.
    MissingValue = "missing-value", Error,
        "A flag lacks its value",
        "The launch does not start, or the value comes from somewhere else.",
        "Give the flag its value.";
    /// A switch has a value.
    RejectedValue = "rejected-value", Warning,
        "A value where the agent accepts none",
        "The described version refuses the word, so the flag is not in force.",
        "Write the flag without `=`, and its value as the next word.";
    /// A value that the table does not know.
    UnknownValue = "unknown-value", Warning,
        "A value that is not in the table",
        "Nobody has looked at what this value does.",
        "Use a value that the table knows, or describe it in a dialect of your own.";
    /// A configuration key that the table does not know.
    UnknownKey = "unknown-key", Warning,
        "A configuration key that is not in the table",
        "Nobody has looked at what this key does.",
        "Remove it, or describe it in a dialect of your own.";
    /// A flag that the table does not know.
    UnknownFlag = "unknown-flag", Warning,
        "A flag that is not in the table",
        "It may be tomorrow's bypass, a typing error, or an abbreviation, which none of the known agents accept.",
        "Correct the spelling, remove it, or describe it in a dialect of your own.";
    /// A flag that the described version refuses.
    RejectedFlag = "rejected-flag", Warning,
        "A flag that the described version refuses",
        "A launch that holds it does not start, and what another version makes of it is not known.",
        "Remove it.";
    /// A word that the described version refuses.
    RejectedWord = "rejected-word", Note,
        "A word that the described version refuses",
        "The launch does not start as it is written. It cannot do harm either.",
        "Take it out.";
    /// A flag adds rights.
    WideningFlag = "widening-flag", Warning,
        "A flag that adds rights",
        "The flag gives the agent something that the launch does not list under its `grants`. Listed there, it is a note.",
        "Remove it, or list what it gives under `grants`.";
    /// A word that the launch itself forbids.
    NeverWord = "never-word", Error,
        "A word that this launch must never hold",
        "The policy file lists it under `never`; every spelling of the flag counts.",
        "Take it out.";
    /// An allowlist without a pattern.
    EmptyPatterns = "empty-patterns", Warning,
        "A pattern list with an empty entry",
        "A list that was meant to hold patterns holds none at this place, and what the agent makes of that is not known.",
        "Remove the empty entry.";
    /// A pattern list that cannot be split for sure.
    MalformedPattern = "malformed-pattern", Warning,
        "A pattern list that can be read in two ways",
        "A parenthesis without its partner, or commas and spaces mixed: where one pattern ends is then up to the agent.",
        "Close every parenthesis and separate patterns by commas.";
    /// The sub-command is missing.
    MissingSubcommand = "missing-subcommand", Error,
        "The sub-command is missing",
        "Without it the agent starts another way, usually an interactive one, with another boundary.",
        "Add the sub-command.";
    /// A sub-command that the table does not describe.
    UnknownSubcommand = "unknown-subcommand", Warning,
        "A sub-command that is not in the table",
        "It has flags of its own, and refuses some that pin the boundary.",
        "Launch the agent without it, or describe it in a dialect of your own.";
    /// A word that no flag takes.
    StrayOperand = "stray-operand", Warning,
        "A word that is no flag and no value",
        "With the prompt on standard input nothing else is expected: the word becomes part of the prompt, or names a sub-command.",
        "Take it out.";
    /// A word that may turn into a flag when it is filled in.
    OpenWord = "open-word", Warning,
        "A word that may turn into a flag",
        "It begins with a placeholder: a value that begins with `-` is read as a flag.",
        "Put `--` before it, write it as `--flag=value`, or pass the prompt on standard input.";
    /// The prompt does not come the way the launch says.
    PromptChannel = "prompt-channel", Warning,
        "The prompt does not come the way the launch says",
        "The launch says where the prompt is, and the argv says something else: the agent gets no prompt, another one, or two.",
        "Set `prompt` to what the argv does, or put `{prompt}` in the one word that carries it.";
    /// The launch lists a capability that does not exist.
    UnknownGrant = "unknown-grant", Warning,
        "A capability that does not exist",
        "The word under `grants` names nothing, so it allows nothing, and whoever wrote it meant something.",
        "Use `read-repo`, `read-anywhere`, `env-read`, `write`, `exec`, `network`, `vcs-mutate` or `delegate`, alone or as `capability:what`.";
    /// The program is not the agent's.
    UnknownProgram = "unknown-program", Warning,
        "The program is not the agent's",
        "A wrapper can add flags and variables, or run something else altogether.",
        "Launch the agent itself.";
    /// The agent has no dialect.
    UnknownAgent = "unknown-agent", Warning,
        "No dialect describes this agent",
        "Without a flag table nothing can be proven about the argv.",
        "Name a dialect file under `agents` in the policy file.";
}

impl Code {
    /// The code with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
