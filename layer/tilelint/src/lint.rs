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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::listing::parse;

    #[test]
    fn every_frame_line_of_a_recording_ends_a_frame() {
        for by in ["marker", "present", "label", "boundary", "submits", "rotation"] {
            let text = format!(
                "calls version=1\nimage a format=R8G8B8A8_UNORM extent=64x64 \
                 usage=COLOR_ATTACHMENT\nrepeat 4\n  pass p\n    attach a \
                 load=CLEAR store=STORE\n  \
                 end\n  submit graphics\n  submit graphics\n  frame by={by}\nend\n"
            );
            let listing = parse(&text).expect("the listing is right");
            let linted = lint(&listing, None, &Config::new(), None);
            let device = &linted.session.devices()[0];
            assert_eq!(device.frame_counts().0, 4, "{by}");
            assert_eq!(device.boundary().word(), by);
        }
    }

    #[test]
    fn passes_of_a_second_device_are_judged_too() {
        let text = |device: &str| {
            format!(
                "device {device}\nimage ms format=R8G8B8A8_UNORM extent=1024x1024 samples=8 \
                 usage=COLOR_ATTACHMENT|TRANSIENT_ATTACHMENT\nimage eye format=R8G8B8A8_UNORM \
                 extent=1024x1024 usage=COLOR_ATTACHMENT memory=xr\nrepeat 5\n  pass main\n    \
                 attach ms load=CLEAR store=DONT_CARE resolve=eye\n    draw vertices=3 times=9\n  \
                 end\n  frame\nend\n"
            )
        };
        let text = format!("calls version=1 targets=quest2\n{}{}", text("one"), text("two"));
        let linted = lint(&parse(&text).expect("the listing is right"), None, &Config::new(), None);
        let rules = |device: &str| -> Vec<&str> {
            let of = linted.judged.findings.iter().filter(|f| f.location.device == device);
            of.map(|finding| finding.rule).collect()
        };
        assert!(rules("one").contains(&"excess-samples"), "{:?}", rules("one"));
        assert_eq!(rules("one"), rules("two"));
    }

    #[test]
    fn a_frame_of_too_many_steps_is_one_frame_and_not_steady() {
        let frame = |copies: u32| {
            format!(
                "  pass scene\n    attach scene load=CLEAR store=STORE\n    draw vertices=3\n  \
                 end\n  repeat {copies}\n    copy from=up to=tex\n    submit graphics\n  end\n  \
                 pass main\n    attach ms load=CLEAR store=STORE resolve=screen\n    \
                 draw vertices=3\n  end\n  submit graphics\n  present screen\n"
            )
        };
        let text = format!(
            "{TARGETS}image scene format=R8G8B8A8_UNORM extent=64x64 usage=COLOR_ATTACHMENT\n\
             image tex format=R8G8B8A8_UNORM extent=64x64 usage=TRANSFER_DST\n\
             buffer up size=64KiB usage=TRANSFER_SRC\n\
             swapchain screen format=R8G8B8A8_UNORM extent=1024x1024\n\
             repeat 30000\n  copy from=up to=tex\n  submit graphics\nend\n\
             repeat 6\n{}end\n{}repeat 4\n{}end\n",
            frame(1),
            frame(30_000),
            frame(1)
        );
        let config = Config::new();
        let linted = lint(&parse(&text).expect("the listing is right"), None, &config, None);
        assert_eq!(linted.session.devices()[0].frame_counts(), (11, 9));
        let mut found = linted.judged.findings.iter().filter(|f| f.rule == "msaa-store");
        assert_eq!(found.next().map(|f| (f.first_frame, f.location.frame)), Some((0, Some(1))));
        let input = crate::report::Input::new("0", &config, &linted.session, &linted.judged);
        let report = crate::report::build(input);
        let limit = report.limits.first().expect("the limit was hit");
        assert_eq!((limit.what.as_str(), limit.limit), ("steps of one frame", 1 << 16));
        assert!(limit.left_out > 1 << 16, "{}", limit.left_out);
    }

    #[test]
    fn frames_come_round_though_their_objects_are_made_anew() {
        let text = "calls version=1\n\
            image a format=R8G8B8A8_UNORM extent=64x64 usage=COLOR_ATTACHMENT\n\
            repeat 6\n  renderpass r\n    \
            attach a format=R8G8B8A8_UNORM load=CLEAR store=STORE\n    subpass color=a\n  end\n  \
            framebuffer f of=r extent=64x64 views=a\n  \
            pass p of=r fb=f\n    draw vertices=3\n  end\n  submit graphics\n  \
            destroy f\n  destroy r\nend\n";
        let listing = parse(text).expect("the listing is right");
        let linted = lint(&listing, None, &Config::new(), None);
        assert_eq!(linted.session.devices()[0].frame_counts().0, 6);
    }

    #[test]
    fn a_label_around_the_commands_allows_its_rule() {
        let lint_in = |label: &str| {
            let text = format!(
                "calls version=1 targets=quest2\n\
                 image ms format=R8G8B8A8_UNORM extent=1024x1024 samples=4 \
                 usage=COLOR_ATTACHMENT|TRANSIENT_ATTACHMENT memory=lazy\n\
                 image eye format=R8G8B8A8_UNORM extent=1024x1024 \
                 usage=COLOR_ATTACHMENT memory=xr\n\
                 repeat 5\n  label-begin text=\"{label}\"\n  pass main\n    \
                 attach ms load=CLEAR store=STORE resolve=eye\n    draw vertices=3\n  end\n  \
                 label-end\n  frame\nend\n"
            );
            let listing = parse(&text).expect("the listing is right");
            lint(&listing, Some(&text), &Config::new(), None).judged
        };
        let plain = lint_in("Frame");
        assert_eq!((plain.findings.len(), plain.suppressed.len()), (1, 0));
        let other = lint_in("tilelint: allow color-store");
        assert_eq!((other.findings.len(), other.suppressed.len()), (1, 0));
        for label in ["tilelint: allow msaa-store", "tilelint: allow x, msaa-store (read back)"] {
            let allowed = lint_in(label);
            assert_eq!((allowed.findings.len(), allowed.suppressed.len()), (0, 1), "{label}");
            assert_eq!(allowed.suppressed[0].by, "label");
        }
        assert_eq!(lint_in("tilelint: allow msaa-store: why").suppressed[0].reason, "why");
    }

    const TARGETS: &str = "calls version=1 targets=quest2\n\
         image ms format=R8G8B8A8_UNORM extent=1024x1024 samples=4 \
         usage=COLOR_ATTACHMENT|TRANSIENT_ATTACHMENT memory=lazy\n\
         image eye format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT memory=xr\n";

    fn frames(count: u32, pass: &str, store: &str) -> String {
        format!(
            "repeat {count}\n  pass {pass}\n    attach ms load=CLEAR store={store} \
             resolve=eye\n    \
             draw vertices=3\n  end\n  frame\nend\n"
        )
    }

    #[test]
    fn frames_outside_the_range_are_seen_and_not_judged() {
        let text = format!(
            "{TARGETS}{}{}",
            frames(10, "loading", "STORE"),
            frames(10, "main", "DONT_CARE")
        );
        let listing = parse(&text).expect("the listing is right");
        let within = |range: &str| {
            let mut config = Config::new();
            config.set("frames", range, "test").expect("is right");
            let linted = lint(&listing, None, &config, None);
            let input = crate::report::Input::new("0", &config, &linted.session, &linted.judged);
            crate::report::build(input)
        };
        let all = within("all");
        assert_eq!((all.findings.len(), all.passes.len(), all.frames.seen), (1, 2, 20));
        assert_eq!(all.frames.range, None);
        let loading = within("2..6");
        assert_eq!((loading.findings.len(), loading.findings[0].count), (1, 4));
        assert_eq!(loading.findings[0].first_frame, 2);
        assert_eq!((loading.passes.len(), loading.passes[0].frames), (1, 4));
        let main = within("10..");
        assert_eq!((main.findings.len(), main.passes.len(), main.frames.seen), (0, 1, 10));
        assert_eq!(main.frames.range.as_deref(), Some("10.."));
        assert_eq!(main.traffic.store_bytes, Some(4 << 20), "only what was judged counts");
        let none = within("30..40");
        assert_eq!((none.passes.len(), none.frames.seen), (0, 0));
    }

    #[test]
    fn a_number_of_a_rule_moves_its_threshold() {
        let barriers =
            "    barrier src_stage=FRAGMENT_SHADER dst_stage=FRAGMENT_SHADER flags=BY_REGION\n"
                .repeat(5);
        let text = format!(
            "{TARGETS}repeat 5\n  pass main\n    attach ms load=CLEAR store=DONT_CARE \
             resolve=eye\n    draw vertices=3\n{barriers}  end\n  frame\nend\n"
        );
        let listing = parse(&text).unwrap_or_else(|error| panic!("{error}"));
        let told = |number: Option<&str>| {
            let mut config = Config::new();
            if let Some(number) = number {
                let text = format!("in-pass-barrier.barriers={number}");
                config.set("rules", &text, "test").expect("is right");
            }
            let findings = lint(&listing, None, &config, None).judged.findings;
            findings.iter().filter(|finding| finding.rule == "in-pass-barrier").count()
        };
        assert_eq!((told(None), told(Some("5")), told(Some("4"))), (0, 0, 1));
    }

    #[test]
    fn a_number_of_ones_own_replaces_that_of_the_target() {
        let text = format!("{TARGETS}{}", frames(5, "main", "DONT_CARE"));
        let text = text
            .replace(
                "  frame\n",
                &"  pass p\n    attach eye load=DONT_CARE store=STORE\n    \
             draw vertices=3\n  end\n"
                    .repeat(2),
            )
            .replace("end\nend", "end\n  frame\nend");
        let listing = parse(&text).unwrap_or_else(|error| panic!("{error}"));
        let told = |number: &str| {
            let mut config = Config::new();
            config.set("rules", &format!("excess-passes.passes={number}"), "test").expect("right");
            let findings = lint(&listing, None, &config, None).judged.findings;
            let found = findings.into_iter().find(|finding| finding.rule == "excess-passes");
            found.map(|finding| finding.message)
        };
        assert_eq!(told("0"), None, "the target's guides ask for five");
        assert_eq!(told("3"), None);
        let expected = "the frame has 3 passes; its setting allows 2";
        assert_eq!(told("2").as_deref(), Some(expected));
    }
}
