//! Linting a listing: the same session as that of a live program, fed from text.

use crate::call::listing::Listing;
use crate::config::{Config, Date, Judged};
use crate::finding::Finding;
use crate::model::Settings;
use crate::report::with_file_lines;
use crate::session::Session;

/// A listing after its last call.
pub struct Linted {
    /// The session.
    pub session: Session,
    /// Its findings, quoting the listing's own lines.
    pub judged: Judged,
}

/// Lints a listing; `source` is its text, where quoted lines are to be the file's own.
pub fn lint(
    listing: &Listing,
    source: Option<&str>,
    config: &Config,
    today: Option<Date>,
) -> Linted {
    let model = config.model();
    let settings = Settings {
        markers_only: model.markers_only || listing.has_frames,
        starts_unknown: listing.header.excerpt,
        first_frame: listing.header.first_frame,
        ..model
    };
    let mut session = Session::new(settings, config.engine());
    for entry in &listing.entries {
        session.apply(entry);
    }
    session.finish();
    let findings = session.findings().into_iter();
    let findings: Vec<Finding> = match source {
        Some(source) => findings.map(|finding| with_file_lines(finding, source)).collect(),
        None => findings.collect(),
    };
    Linted { judged: config.judge(findings, today), session }
}
