//! One frame in three forms, render pass 1, render pass 2 and dynamic rendering, is one frame: it
//! gets the same findings, with the same identity, words and figures. All listings of cases and
//! pages are tried; those with subpasses and the like in both forms of render passes.

use tilelint::finding::Finding;
use tilelint_tests::flat::{Source, judge, sources};

/// What only render passes, or only dynamic rendering, can say.
const ONE_FORM: &[&str] = &[
    "subpass ",
    "dependency ",
    "renderpass ",
    "initial=",
    "as=resolve",
    "as=none",
    "SUSPENDING",
    "via=dynamic",
    "resolve_mode=NONE",
];

/// Dynamic rendering has no layout before a pass: barriers say it, which these listings leave out.
const OF_RENDER_PASSES: &str = "undefined-layout-every-frame";

/// What both forms of render passes say differently, or only one of them.
const NO_OTHER_FORM: &[&str] = &["via=", "depth_resolve", "stencil_resolve_mode"];

/// The listing with all its passes in one form.
fn with_form(text: &str, form: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let pass = line.trim_start().starts_with("pass ");
        out += line;
        if pass {
            out += " via=";
            out += form;
        }
        out.push('\n');
    }
    out
}

/// All of a finding that has nothing to do with the form: names of calls and fields, and the edits
/// that use them, are the form's own.
fn verdict(finding: &Finding) -> String {
    format!(
        "{} {:?} {:?} {:016x} {:?} {:?} {:?} count {} from {}, {} a frame, for {:?}, notes {:?}",
        finding.rule,
        finding.level,
        finding.confidence,
        finding.fingerprint,
        finding.message,
        finding.why,
        finding.cost,
        finding.count,
        finding.first_frame,
        finding.per_frame,
        finding.targets,
        finding.notes,
    )
}

fn verdicts(source: &Source, form: &str) -> Vec<String> {
    judge(source.read(&with_form(&source.text, form))).iter().map(verdict).collect()
}

/// Dynamic rendering can say all of it.
fn has_three_forms(source: &Source) -> bool {
    let words = ONE_FORM.iter().any(|word| source.text.contains(word));
    !words && source.try_read(&with_form(&source.text, "dynamic")).is_ok()
}

#[test]
fn the_form_of_a_pass_changes_nothing() {
    let says = |source: &Source, words: &[&str]| words.iter().any(|w| source.text.contains(w));
    let (mut three, mut two, mut loud) = (0, 0, 0);
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| !says(source, NO_OTHER_FORM)) {
        let all = has_three_forms(source);
        three += usize::from(all);
        two += usize::from(!all);
        let all_first = verdicts(source, "rp1");
        loud += usize::from(!all_first.is_empty());
        let others: &[&str] = if all { &["rp2", "dynamic"] } else { &["rp2"] };
        for form in others {
            let mut first = all_first.clone();
            if *form == "dynamic" {
                first.retain(|line| !line.starts_with(OF_RENDER_PASSES));
            }
            let other = verdicts(source, form);
            if other != first {
                let (first, other) = (first.join("\n    "), other.join("\n    "));
                faults
                    .push(format!("{}\n  rp1:\n    {first}\n  {form}:\n    {other}", source.name));
            }
        }
    }
    println!("{three} listings in three forms, {two} in two; {loud} of them have findings");
    assert!(three >= 300 && two >= 50 && loud >= 150, "{three}, {two}, {loud}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
