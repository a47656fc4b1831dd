//! All integration tests, one binary. Names are sentences.
#![expect(missing_docs, reason = "the names of tests say what they hold")]

mod process;
