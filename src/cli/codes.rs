//! The codes of findings and verdicts: what each means and what to do. A test holds that every code that is emitted
//! stands here.

use crate::policy;

/// One code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code {
    pub(crate) code: &'static str,
    pub(crate) title: &'static str,
    pub(crate) why: &'static str,
    pub(crate) fix: &'static str,
}

/// The codes of this room; those of flags are the policy room's.
const OWN: [Code; 13] = [
    Code {
        code: "baseline-stale",
        title: "A known fault is gone",
        why: "An entry of [baseline] names something that ran and held. Left there, it would hide the fault when it \
              comes back.",
        fix: "Remove the entry.",
    },
    Code {
        code: "baseline-unmatched",
        title: "A baseline entry names nothing",
        why: "No launch and no case has this id, so the entry does nothing. Often the id is misspelled.",
        fix: "Correct the id (`argvow list cases`, `argvow list launches`) or remove the entry.",
    },
    Code {
        code: "measured-boundary",
        title: "What was measured about the claimed boundary",
        why: "A launch claims what keeps it read-only. The claim is shown with what a real run of the agent showed, on \
              which version, and with the command that proves it.",
        fix: "Take a launch that is broken or not measured for no boundary.",
    },
    Code {
        code: "not-recorded",
        title: "The launch is not known",
        why: "The policy file says to find the launch out by running a command, which this version cannot do. What was \
              not seen is no pass.",
        fix: "Write the launch's `argv` into the policy file.",
    },
    Code {
        code: "snapshot-differs",
        title: "The launch is not the reviewed one",
        why: "The argv, the environment, a channel or the claim is not what a person accepted. The diff shows every \
              line that changed.",
        fix: "Undo the change, or review it and run `argvow accept LAUNCH --reason TEXT`.",
    },
    Code {
        code: "snapshot-missing",
        title: "Nobody has reviewed the launch",
        why: "There is no snapshots/<launch>.snap beside the policy file. A launch without one is broken, not new.",
        fix: "Read what it allows, run `argvow accept LAUNCH`, and commit the file.",
    },
    Code {
        code: "no-policy-file",
        title: "The policy is the built-in one",
        why: "Without an argvow.toml, from here up to the root of the repository, argvow checks its own launches and its \
              own runner. That says nothing about yours.",
        fix: "Write an argvow.toml. In CI say `--config argvow.toml`, which makes a missing file an error.",
    },
    Code {
        code: "snapshot-orphaned",
        title: "A snapshot without a launch",
        why: "A launch was renamed or removed and its snapshot stayed. A launch that leaves the check in silence is a \
              boundary that nobody looks at any more, so the snapshot has to go on purpose too.",
        fix: "Delete the file, or bring the launch back.",
    },
    Code {
        code: "snapshot-outdated",
        title: "What is known about a launch has changed",
        why: "The launch is the reviewed one; this argvow knows something else about its boundary than the one that \
              wrote the snapshot.",
        fix: "Read the diff and run `argvow accept LAUNCH`.",
    },
    Code {
        code: "snapshot-unreadable",
        title: "The snapshot cannot be read",
        why: "The file is no snapshot, for example because a merge left its marks in it. What cannot be read was not \
              reviewed.",
        fix: "Restore the file, or run `argvow accept LAUNCH` after a review.",
    },
    Code {
        code: "subject-unsupported",
        title: "The subject was not run",
        why: "This version runs its cases only against the built-in runner. What did not run is no pass.",
        fix: "Test the built-in runner, or leave the subject out until a version that runs it.",
    },
    Code {
        code: "suite-not-prepared",
        title: "The suite could not begin",
        why: "The scratch directory, the fake agents or their hosts could not be made, so no case was run.",
        fix: "Make room in the temporary directory, or point TMPDIR at a file system that lets files be executed.",
    },
    Code {
        code: "suite-not-run",
        title: "No runner was tested",
        why: "The policy file declares launches and no subject. Launches were checked; the code that spawns them was \
              not.",
        fix: "Add `[subject.builtin]` with `builtin = true`, or your own runner.",
    },
];

/// Every code, sorted.
pub(crate) fn all() -> Vec<Code> {
    let of_flags = policy::Code::ALL.iter().map(|code| Code {
        code: code.as_str(),
        title: code.title(),
        why: code.explanation(),
        fix: code.fix(),
    });
    let mut all: Vec<Code> = OWN.into_iter().chain(of_flags).collect();
    all.sort_by_key(|code| code.code);
    all
}

/// The code with this name.
pub(crate) fn find(name: &str) -> Option<Code> {
    all().into_iter().find(|code| code.code == name)
}
