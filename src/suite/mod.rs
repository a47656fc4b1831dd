//! Cases against a subject: the catalogue, the run of one case, the run of many, the judge.

mod catalogue;
mod run;

pub use catalogue::{Catalogue, CatalogueError, EDITION};
pub use run::{Options, Stop, SuiteError, run};
