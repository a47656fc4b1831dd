//! Cases against a subject: the catalogue, one case's room, its run, its judge, and many at once.

mod catalogue;
mod dispatch;
mod drive;
mod judge;
mod room;
mod run;
mod scratch;

pub use catalogue::{Catalogue, CatalogueError, EDITION};
pub use dispatch::dispatch;
pub use run::{Options, Runner, Stop, SuiteError, run};
