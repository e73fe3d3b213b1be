//! The HTML report in a real browser (package `chromium`): it loads with no complaint and no
//! request, filters and keys work, nothing covers anything else, and a frame of 200 passes stays
//! usable. `SHOTS=FOLDER` leaves pictures there.

use std::fmt::Write as _;
use std::process::Command;

use serde_json::{Value, json};
use tilelint_tests::harness::{self, TempDir, root, run};

/// A page and its report.
struct Page {
    folder: TempDir,
    report: Value,
}

impl Page {
    /// Lints a listing.
    fn of(listing: &str) -> Page {
        let folder = TempDir::new();
        folder.write("frame.calls", listing);
        let tool = harness::build_program("tilelint-cli");
        let lint = |format: &str| {
            let mut command = harness::vulkan_command(&tool, "/no/driver.json".as_ref());
            command.args(["lint", "frame.calls", "--format", format]).current_dir(folder.path());
            run(&mut command).ok().stdout
        };
        let report = serde_json::from_str(&lint("json")).expect("the tool writes JSON");
        folder.write("page.html", lint("html"));
        Page { folder, report }
    }

    fn engine() -> Page {
        let path = root().join("tests/listings/engine.calls");
        Page::of(&std::fs::read_to_string(path).expect("the listing is there"))
    }

    /// Does steps on the page and returns the values of the expressions among them. The browser
    /// must have nothing to complain of, and ask for nothing.
    #[track_caller]
    fn values(&self, steps: &[Value]) -> Vec<Value> {
        let mut command = Command::new("python3");
        command.arg(root().join("tests/tests/browser/driver.py"));
        command.arg(self.folder.path().join("page.html")).arg(self.folder.path().join("browser"));
        let ran = run(command.arg(Value::from(steps).to_string())).ok();
        let told: Value = serde_json::from_str(&ran.stdout).expect("the driver writes JSON");
        assert_eq!(told["log"], json!([]), "the browser complains");
        assert_eq!(told["requests"], json!([]), "the page asks for something");
        told["values"].as_array().expect("values are a list").clone()
    }

    /// The value of one expression.
    #[track_caller]
    fn value(&self, expression: &str) -> Value {
        self.values(&[eval(expression)]).remove(0)
    }

    fn findings(&self) -> &[Value] {
        self.report["findings"].as_array().expect("findings are a list")
    }

    fn count(&self, fits: impl Fn(&Value) -> bool) -> usize {
        self.findings().iter().filter(|finding| fits(finding)).count()
    }
}

fn eval(expression: &str) -> Value {
    json!({"eval": expression})
}

fn key(key: &str) -> Value {
    json!({"key": key})
}

/// How many findings the page shows.
const VISIBLE: &str = "[...document.querySelectorAll('.finding')]\
     .filter((finding) => finding.checkVisibility()).length";

/// Chooses an option as a person does, and tells how many findings are left.
fn choose(name: &str, value: &str) -> Value {
    eval(&format!(
        "(() => {{ const field = document.querySelector('[name={name}]'); field.value = {}; \
         field.dispatchEvent(new Event('input', {{bubbles: true}})); return {VISIBLE}; }})()",
        Value::from(value)
    ))
}

#[test]
fn every_part_of_the_report_is_on_the_page() {
    let page = Page::engine();
    let facts = page.value(
        "({findings: document.querySelectorAll('.finding').length, \
           passes: [...document.querySelectorAll('svg .pass .name')].map((n) => n.textContent), \
           rows: document.querySelectorAll('.passes > tbody > tr').length, \
           bars: document.querySelectorAll('.bars .bar').length, \
           carets: document.querySelectorAll('.code .mark').length, \
           after: [...document.querySelectorAll('.code ins')].map((n) => n.textContent.trim()), \
           wide: document.querySelectorAll('svg .edge').length, \
           rules: [...document.querySelectorAll('details[id^=rule-] h4')]\
             .map((n) => n.textContent), \
           dead: [...document.querySelectorAll('a[href^=\"#\"]')]\
             .filter((a) => !document.getElementById(a.getAttribute('href').slice(1))).length})",
    );
    assert_eq!(facts["findings"], page.findings().len());
    let names: Vec<&Value> =
        page.report["passes"].as_array().unwrap().iter().map(|p| &p["name"]).collect();
    assert_eq!(facts["passes"], json!(names), "left to right in the order of submission");
    assert_eq!(facts["rows"], names.len());
    assert_eq!(facts["bars"], page.report["targets"].as_array().unwrap().len());
    assert!(facts["carets"].as_u64() >= Some(page.findings().len() as u64), "{facts}");
    let after = facts["after"].as_array().unwrap();
    let line = "attach glass_msaa load=CLEAR store=DONT_CARE resolve=glass";
    assert!(after.contains(&line.into()), "the fix is shown before and after: {after:?}");
    assert!(facts["wide"].as_u64() > Some(4), "{facts}");
    let headings = facts["rules"].as_array().unwrap();
    assert!(headings.contains(&"Fix".into()) && !headings.contains(&"Cases".into()));
    assert_eq!(facts["dead"], 0, "every link leads somewhere");
}

#[test]
fn a_clean_report_has_its_page() {
    let page = Page::of(
        "calls version=1 targets=quest2\n\
         image eye format=R8G8B8A8_UNORM extent=64x64 usage=COLOR_ATTACHMENT memory=xr\n\
         repeat 5\n  pass main\n    attach eye load=CLEAR store=STORE\n    draw vertices=3\n  \
         end\n  frame\nend\n",
    );
    let facts = page.values(&[
        eval("document.querySelector('#findings + p').textContent"),
        eval("document.querySelector('.figures dd').textContent"),
        eval("document.querySelectorAll('form, a[href=\"#rules\"]').length"),
        key("j"),
        key("/"),
        eval("document.querySelectorAll('svg .pass').length"),
    ]);
    assert_eq!(Value::from(facts), json!(["None.", "0", 0, 1]));
}

#[test]
fn filters_leave_what_fits() {
    let page = Page::engine();
    let all = page.findings().len();
    let key = &page.findings()[0]["location"]["pass_key"];
    let reset = eval(
        "document.querySelector('[type=reset]').click(); \
         document.getElementById('shown').textContent",
    );
    let groups =
        "[...document.querySelectorAll('.group')].filter((g) => g.checkVisibility()).length";
    let click = "(() => { const pass = document.querySelectorAll('svg .pass')[3]; \
         pass.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true})); \
         return [document.querySelector('[name=pass]').value, \
           document.getElementById('shown').textContent]; })()";
    let values = page.values(&[
        eval(VISIBLE),
        choose("rule", "msaa-store"),
        eval(groups),
        reset.clone(),
        choose("level", "warn"),
        choose("target", "mali-g78"),
        reset.clone(),
        choose("target", "quest2"),
        reset.clone(),
        choose("pass", key.as_str().unwrap()),
        reset.clone(),
        choose("text", "  MULTISAMPLED depth "),
        choose("text", "no such words"),
        eval(groups),
        reset,
        eval(click),
    ]);
    let level = |f: &Value| f["level"] == "warn";
    let on = |f: &Value, target: &str| f["targets"].as_array().unwrap().contains(&target.into());
    let shown: Value = format!("{all} of {all} shown").into();
    let glass = &page.report["passes"][3]["key"];
    let of_glass = page.count(|f| f["location"]["pass_key"] == *glass);
    let expected = [
        all.into(),
        page.count(|f| f["rule"] == "msaa-store").into(),
        1.into(),
        shown.clone(),
        page.count(level).into(),
        page.count(|f| level(f) && on(f, "mali-g78")).into(),
        shown.clone(),
        page.count(|f| on(f, "quest2")).into(),
        shown.clone(),
        page.count(|f| f["location"]["pass_key"] == *key).into(),
        shown.clone(),
        1.into(),
        0.into(),
        0.into(),
        shown,
        json!([glass, format!("{of_glass} of {all} shown")]),
    ];
    assert_eq!(values, expected);
}

/// What has the focus.
fn focused() -> Value {
    eval(
        "document.activeElement.name || document.activeElement.id \
         || document.activeElement.dataset?.pass || document.activeElement.tagName",
    )
}

/// Gives the focus to the first that fits.
fn focus(selector: &str) -> Value {
    eval(&format!("document.querySelector({}).focus()", Value::from(selector)))
}

#[test]
fn keys_search_and_go_from_finding_to_finding() {
    let page = Page::engine();
    let ids: Vec<Value> = page
        .findings()
        .iter()
        .map(|f| format!("finding-{}", f["fingerprint"].as_str().unwrap()).into())
        .collect();
    let values = page.values(&[
        key("/"),
        focused(),
        json!({"type": "multisampled"}),
        eval(VISIBLE),
        key("j"),
        eval("document.querySelector('[name=text]').value"),
        key("Escape"),
        eval("document.querySelector('[type=reset]').click()"),
        key("j"),
        focused(),
        key("j"),
        focused(),
        key("k"),
        focused(),
    ]);
    assert_eq!(page.findings()[0]["rule"], "msaa-store", "it comes first on the page too");
    let two = page.count(|f| f["rule"] == "msaa-store");
    let expected = [
        "text".into(),
        two.into(),
        // Letters in a field are text.
        "multisampledj".into(),
        Value::Null,
        ids[0].clone(),
        ids[1].clone(),
        ids[0].clone(),
    ];
    assert_eq!(values, expected);
}

#[test]
fn the_keyboard_reaches_everything() {
    let page = Page::engine();
    let values = page.values(&[
        focus("[name=rule]"),
        key("Tab"),
        focused(),
        key("Tab"),
        focused(),
        focus("svg .pass"),
        eval("document.querySelectorAll('svg .edge.near').length"),
        key("Enter"),
        eval("location.hash"),
        eval("document.querySelector('[type=reset]').click()"),
        focus("a[href='#rule-msaa-store']"),
        key("Enter"),
        eval("document.getElementById('rule-msaa-store').open"),
        // Whatever can be used can be reached.
        eval(
            "[...document.querySelectorAll('a, button, select, input, summary, .scroll, .finding')]\
             .filter((node) => node.tabIndex < 0).length",
        ),
    ]);
    let first_pass = format!("#pass-{}", page.report["passes"][0]["key"].as_str().unwrap());
    let expected = [
        Value::Null,
        "level".into(),
        "target".into(),
        Value::Null,
        1.into(),
        first_pass.into(),
        Value::Null,
        Value::Null,
        true.into(),
        0.into(),
    ];
    assert_eq!(values, expected);
}

/// Texts of the graph that cover each other or stand out of their box, and a page that is wider
/// than its window.
const COVERED: &str = "(() => {
  const box = (node) => node.getBoundingClientRect();
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
    && a.top < b.bottom - 2 && b.top < a.bottom - 2;
  const wrong = [];
  const texts = [...document.querySelectorAll('svg text')].map((node) => [node, box(node)])
    .filter(([node, area]) => area.width > 0).sort((a, b) => a[1].left - b[1].left);
  texts.forEach(([node, area], index) => {
    for (let next = index + 1; next < texts.length && texts[next][1].left < area.right; next++) {
      if (meet(area, texts[next][1])) {
        wrong.push(`${node.textContent} covers ${texts[next][0].textContent}`);
      }
    }
  });
  for (const pass of document.querySelectorAll('svg .pass')) {
    const frame = box(pass.querySelector('rect'));
    for (const text of pass.querySelectorAll('text')) {
      const area = box(text);
      if (area.width > 0 && (area.left < frame.left || area.right > frame.right
        || area.bottom > frame.bottom)) {
        wrong.push(`${text.textContent} stands out of ${pass.dataset.index}`);
      }
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) {
    wrong.push(`${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);
  }
  return wrong;
})()";

/// Pairs of colours of text and ground whose contrast is below what WCAG 2 asks of small text.
const FAINT: &str = "(() => {
  const probe = document.body.appendChild(document.createElement('span'));
  const light = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color.match(/[0-9.]+/g).map((part) => part / 255)
      .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
      .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  };
  const wrong = [];
  for (const ground of ['paper', 'panel', 'wash']) {
    for (const ink of ['ink', 'soft', 'accent', 'deny', 'warn', 'info', 'waste']) {
      const [a, b] = [light(ink), light(ground)];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (contrast < 4.5) { wrong.push(`${ink} on ${ground}: ${contrast.toFixed(2)}`); }
    }
  }
  probe.remove();
  return wrong;
})()";

#[test]
fn nothing_covers_anything_and_both_themes_are_readable() {
    let page = Page::engine();
    let theme = || eval("getComputedStyle(document.body).backgroundColor");
    let mut steps = Vec::new();
    for media in ["light", "dark"] {
        steps.extend([json!({"media": media}), theme(), eval(FAINT)]);
        for width in [1360, 620] {
            steps.extend([json!({"width": width}), eval(COVERED)]);
            if let Ok(folder) = std::env::var("SHOTS") {
                steps.push(json!({"shot": format!("{folder}/{media}-{width}.png")}));
            }
        }
    }
    steps.extend([eval("document.getElementById('theme').click()"), theme()]);
    let values = page.values(&steps);
    let none = || json!([]);
    let (light, dark) = (values[0].clone(), values[4].clone());
    assert_ne!(light, dark, "the page follows the system");
    let expected =
        [light.clone(), none(), none(), none(), dark, none(), none(), none(), Value::Null, light];
    assert_eq!(values, expected);
}

/// A name of letters alone: passes whose names differ in digits are one.
fn name(index: usize) -> String {
    let letter = |digit: usize| char::from(b'a' + (digit % 26) as u8);
    format!("target_with_a_long_name_{}{}", letter(index / 26), letter(index))
}

/// 200 passes, most of which read what the one before drew, and all of which read a shadow map.
fn long_frame() -> String {
    let mut text = String::from(
        "calls version=1\n\
         image shadow format=D32_SFLOAT extent=1024x1024 usage=DEPTH_STENCIL_ATTACHMENT|SAMPLED\n",
    );
    let usage = "usage=COLOR_ATTACHMENT|SAMPLED";
    for name in (0..199).map(name) {
        let _ = writeln!(text, "image {name} format=R8G8B8A8_UNORM extent=512x512 {usage}");
    }
    text += "repeat 5\n  pass shadows\n    attach shadow load=CLEAR store=STORE\n    \
             draw vertices=300\n  end\n";
    for index in 0..199 {
        let target = name(index);
        let reads = match index {
            0 => "shadow".to_owned(),
            _ => format!("shadow,{}", name(index - 1)),
        };
        let _ = write!(
            text,
            "  pass draws_{target}\n    attach {target} load=CLEAR store=STORE\n    \
             draw vertices=3 reads={reads}\n  end\n"
        );
    }
    text + "  frame\nend\n"
}

#[test]
fn a_frame_of_200_passes_stays_usable() {
    let page = Page::of(&long_frame());
    let last = page.report["passes"][199]["key"].as_str().unwrap().to_owned();
    let values = page.values(&[
        eval("document.querySelectorAll('svg .pass').length"),
        eval("document.querySelectorAll('.passes > tbody > tr').length"),
        eval(COVERED),
        // The lowest line is still near: it can be seen without scrolling up and down for it.
        eval(
            "document.querySelector('#frame ~ .scroll svg').getBoundingClientRect().height < 1000",
        ),
        eval("document.querySelectorAll('*').length < 20000"),
        eval("document.querySelectorAll('svg .pass')[199].focus()"),
        eval(
            "(() => { const pass = document.activeElement.getBoundingClientRect(); \
             return pass.left >= 0 && pass.right <= innerWidth; })()",
        ),
        key("Enter"),
        eval("location.hash"),
        choose("text", &name(198)),
    ]);
    let named = |f: &Value| f["message"].to_string().contains(&name(198));
    let last = format!("#pass-{last}");
    let shown = page.count(named);
    let expected = json!([200, 200, [], true, true, null, true, last, shown]);
    assert_eq!(Value::from(values), expected);
}
