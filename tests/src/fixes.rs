//! Fixes as tests: the edits of a rule's findings are applied to its own `Bad` listing.

use tilelint::call::listing;
use tilelint::config::Config;
use tilelint::finding::{Confidence, Cost, Edit, Finding, Fix, Level};
use tilelint::lint::{Linted, lint};
use tilelint::patch;
use tilelint::rule::Rule;
use tilelint::traffic::FrameTraffic;

use crate::page::{Wrong, shader};

/// A listing before or after its fix.
struct Judged {
    findings: Vec<Finding>,
    traffic: FrameTraffic,
}

/// What became of a listing when a fix was applied.
pub struct Mended {
    /// The listing after the fix.
    pub text: String,
    /// What the findings promised.
    pub promised: Cost,
    /// What a frame asked for before, and asks for now.
    pub traffic: [FrameTraffic; 2],
    /// What is wrong with the fix; empty where nothing is.
    pub faults: Vec<String>,
}

/// Findings that a fix brings for a good reason: the mended rule, the rule that speaks then.
const HONEST: &[(&str, &str)] = &[
    // The presents of a listing return what they returned, whatever the swapchain is made with.
    ("pretransform-mismatch", "suboptimal-ignored"),
];

/// One finding after another of any listing, each mended alone.
pub struct Alone {
    /// The finding.
    pub finding: String,
    /// What is wrong with its first fix.
    pub faults: Vec<String>,
}

/// Mends each finding of a listing alone by the edits of its first fix, where it has some.
pub fn mend_each(text: &str, rules: &[&'static Rule]) -> Result<Vec<Alone>, String> {
    let before = judge("", text, &[], rules)?;
    let mut all = Vec::new();
    for finding in &before.findings {
        let edits = finding.fixes.first().map(|fix| &fix.edits[..]).unwrap_or_default();
        if edits.is_empty() {
            continue;
        }
        let mut faults = Vec::new();
        match patch::apply(text, edits).map_err(|problem| problem.to_string()) {
            Ok(after) => {
                let after = judge("", &after, &[], rules)?;
                let told = after.findings.iter().filter(|other| {
                    identity(other) == identity(finding)
                        || !is_known(other, finding, &before.findings)
                });
                faults.extend(told.map(|other| format!("{}: {}", identity(other), other.message)));
            }
            Err(problem) => faults.push(problem),
        }
        all.push(Alone { finding: identity(finding), faults });
    }
    Ok(all)
}

/// A finding was there before: by itself, as a note, or as another finding of the same place.
/// What the fix changes may move it to another pass, or show it under another headline.
fn is_known(finding: &Finding, mended: &Finding, before: &[Finding]) -> bool {
    let place = |f: &Finding| (f.location.image.clone(), f.location.aspect);
    before.iter().any(|known| {
        let other = identity(known) != identity(mended) && known.location.image.is_some();
        known.rule == finding.rule && known.location.image == finding.location.image
            || known.notes.iter().any(|note| note.rule == finding.rule)
            || other && place(known) == place(finding)
    })
}

/// Lints a listing by the default rules, with some at other levels.
fn judge(
    info: &str,
    text: &str,
    levels: &[(&'static str, Level)],
    rules: &[&'static Rule],
) -> Result<Judged, String> {
    let mut listing =
        listing::parse_with_header(info, text).map_err(|error| format!("{error}\n{text}"))?;
    listing.load_shaders(shader);
    let mut config = Config::of(rules.to_vec());
    config.take_targets(&listing.header, "fence").map_err(|problem| problem.to_string())?;
    for (name, level) in levels {
        config.set_level(name, *level, "page").map_err(|problem| problem.to_string())?;
    }
    let Linted { session, judged } = lint(&listing, Some(text), &config, None);
    let traffic = session.traffic().median().unwrap_or_default();
    Ok(Judged { findings: judged.findings, traffic })
}

/// What tells findings apart before and after a fix: a fingerprint changes with the pass.
fn identity(finding: &Finding) -> String {
    let at = &finding.location;
    let aspect = at.aspect.map(|aspect| format!(" {aspect:?}")).unwrap_or_default();
    let image = at.image.as_deref().unwrap_or_default();
    let pass = at.pass.as_deref().unwrap_or_default();
    format!("{} {pass} {image}{aspect}", finding.rule)
}

fn says(finding: &Finding, rule: &Rule) -> bool {
    finding.rule == rule.name || finding.notes.iter().any(|note| note.rule == rule.name)
}

/// Why a listing is not mended.
pub enum Unmended {
    /// A finding has a fix without edits.
    ByHand(String),
    /// The edits cannot be applied, or what they make cannot be read.
    Fails(String),
}

/// Applies the fixes of a rule's own findings to a listing of its page: the first ones, and then
/// each other way that has edits.
pub fn mend(
    wrong: &Wrong,
    rule: &'static Rule,
    rules: &[&'static Rule],
) -> Result<Vec<Mended>, Unmended> {
    let Wrong { info, text, .. } = wrong;
    let on = (rule.level == Level::Allow).then_some((rule.name, Level::Warn));
    let levels: Vec<(&'static str, Level)> = on.into_iter().collect();
    let before = judge(info, text, &levels, rules).map_err(Unmended::Fails)?;
    // A rule that only speaks under another's headline speaks for itself without it.
    let mut alone = levels.clone();
    let mut own: Vec<Finding> =
        before.findings.iter().filter(|finding| finding.rule == rule.name).cloned().collect();
    for _ in 0..rules.len() {
        if !own.is_empty() {
            break;
        }
        let judged = judge(info, text, &alone, rules).map_err(Unmended::Fails)?;
        let headline = judged.findings.iter().find(|f| says(f, rule) && f.rule != rule.name);
        alone.extend(headline.map(|finding| (finding.rule, Level::Allow)));
        own = judged.findings.into_iter().filter(|finding| finding.rule == rule.name).collect();
    }
    if own.is_empty() {
        return Err(Unmended::ByHand("no finding is the rule's own".to_owned()));
    }
    let ways = own.iter().map(|finding| finding.fixes.len()).max().unwrap_or(0);
    let mut mended = Vec::new();
    for way in 0..ways {
        let fixes: Vec<&Fix> =
            own.iter().filter_map(|f| f.fixes.get(way).or(f.fixes.first())).collect();
        if fixes.iter().any(|fix| fix.edits.is_empty()) {
            if way == 0 {
                return Err(Unmended::ByHand(fixes[0].text.clone()));
            }
            continue;
        }
        let edits: Vec<&Edit> = fixes.iter().flat_map(|fix| &fix.edits).collect();
        let after = patch::apply(text, edits);
        let after = after.map_err(|problem| Unmended::Fails(problem.to_string()))?;
        let one = compare(info, after, &levels, (rule, rules), (&before, &own));
        mended.push(one.map_err(Unmended::Fails)?);
    }
    Ok(mended)
}

fn compare(
    info: &str,
    text: String,
    levels: &[(&'static str, Level)],
    (rule, rules): (&'static Rule, &[&'static Rule]),
    (before, own): (&Judged, &[Finding]),
) -> Result<Mended, String> {
    let after = judge(info, &text, levels, rules)?;
    let mut faults = Vec::new();
    let known: Vec<String> = before.findings.iter().map(identity).collect();
    for finding in &after.findings {
        let what = format!("{}: {}", identity(finding), finding.message);
        if says(finding, rule) {
            faults.push(format!("still there: {what}"));
        } else if !known.contains(&identity(finding))
            && !HONEST.contains(&(rule.name, finding.rule))
        {
            faults.push(format!("new: {what}"));
        }
    }
    let promised = own.iter().fold(Cost::default(), |sum, finding| sum.plus(finding.cost));
    let certain = own.iter().all(|finding| finding.confidence >= Confidence::Likely);
    if !certain {
        faults.push("a page shows what is no more than possible".to_owned());
    }
    Ok(Mended { text, promised, traffic: [before.traffic, after.traffic], faults })
}

/// Bytes that a frame asks for less than before: loads, then stores.
pub fn saved(mended: &Mended) -> [i64; 2] {
    let [before, after] = mended.traffic;
    let less = |before: u64, after: u64| before as i64 - after as i64;
    [less(before.load_bytes, after.load_bytes), less(before.store_bytes, after.store_bytes)]
}
