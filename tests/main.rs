//! All integration tests, one binary. Names are sentences.

mod policy;
