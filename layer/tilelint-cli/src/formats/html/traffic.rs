//! Bytes of passes, and which of them nobody needs.

use std::collections::BTreeMap;

use tilelint::report::{AspectOps, Finding, Pass, Report, human_bytes};

/// Bytes that a pass loads and stores, `None` where not all of it is known.
pub fn traffic(pass: &Pass) -> (Option<u64>, Option<u64>) {
    let aspects = || pass.attachments.iter().flat_map(|attachment| &attachment.aspects);
    (aspects().map(|aspect| aspect.load_bytes).sum(), aspects().map(|a| a.store_bytes).sum())
}

/// Bytes in words.
pub fn shown(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "unknown".to_owned(), human_bytes)
}

/// What findings say of each pass, image and aspect: bytes loaded and stored for nobody.
pub struct Waste<'a>(BTreeMap<[&'a str; 3], (u64, u64)>);

impl<'a> Waste<'a> {
    /// Gathers what the findings say.
    pub fn of(report: &'a Report) -> Waste<'a> {
        let mut waste: BTreeMap<[&str; 3], (u64, u64)> = BTreeMap::new();
        let counts = |f: &&Finding| !f.only_unsteady && f.confidence != "possible";
        for finding in report.findings.iter().filter(counts) {
            let at = &finding.location;
            let text = |part: &'a Option<String>| part.as_deref().unwrap_or_default();
            let place = [text(&at.pass_key), text(&at.image), text(&at.aspect)];
            let bytes = waste.entry(place).or_default();
            bytes.0 = bytes.0.max(finding.cost.load_bytes);
            bytes.1 = bytes.1.max(finding.cost.store_bytes);
        }
        Waste(waste)
    }

    /// Whether the load and the store of an aspect are for nobody.
    pub fn is_for_nobody(&self, pass: &Pass, image: &str, aspect: &AspectOps) -> (bool, bool) {
        let found = self.0.get(&[pass.key.as_str(), image, aspect.aspect.as_str()]);
        let (load, store) = found.copied().unwrap_or_default();
        let moves = |bytes: Option<u64>| bytes.is_none_or(|bytes| bytes > 0);
        (load > 0 && moves(aspect.load_bytes), store > 0 && moves(aspect.store_bytes))
    }

    /// Bytes of a pass that are for nobody; never more than it moves.
    pub fn bytes(&self, pass: &Pass) -> u64 {
        let of_pass = self.0.iter().filter(|([key, ..], _)| *key == pass.key);
        let sum: u64 = of_pass.map(|(_, (load, store))| load + store).sum();
        let (load, store) = traffic(pass);
        load.zip(store).map_or(sum, |(load, store)| sum.min(load + store))
    }
}
