//! Findings as messages for the application's own callbacks.

use crate::capture::{Message, MessageObject};
use ash::vk::{self, Handle};
use std::ffi::CString;
use tilelint::call::{Kind, Object};
use tilelint::finding::{Finding, Level};
use tilelint::rules::{self, Suspicion};

/// Returns the message of a finding.
pub(crate) fn message(finding: &Finding) -> Message {
    let severity = match finding.level {
        Level::Allow | Level::Info => vk::DebugUtilsMessageSeverityFlagsEXT::INFO,
        _ => vk::DebugUtilsMessageSeverityFlagsEXT::WARNING,
    };
    let id_number = rules::by_name(finding.rule).map_or(0, |rule| rule.id());
    let labels = &finding.location.labels;
    let (of_queue, of_buffer) = labels.split_at(finding.location.queue_labels.min(labels.len()));
    Message {
        severity,
        types: vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE,
        id_name: c_string(finding.rule),
        id_number: id_number.cast_signed(),
        text: c_string(&text(finding)),
        objects: finding.objects.iter().map(object).collect(),
        queue_labels: of_queue.iter().map(|label| c_string(label)).collect(),
        labels: of_buffer.iter().map(|label| c_string(label)).collect(),
    }
}

/// Returns the message of what is wrong with the settings.
pub(crate) fn problem(text: &str) -> Message {
    Message {
        severity: vk::DebugUtilsMessageSeverityFlagsEXT::WARNING,
        types: vk::DebugUtilsMessageTypeFlagsEXT::GENERAL,
        id_name: c"tilelint".to_owned(),
        id_number: 0,
        text: c_string(text),
        objects: Vec::new(),
        queue_labels: Vec::new(),
        labels: Vec::new(),
    }
}

/// Returns the message of what the creation of a render pass makes suspect.
pub(crate) fn suspicion(suspicion: &Suspicion, render_pass: vk::RenderPass) -> Message {
    let id_number = rules::by_name(suspicion.rule).map_or(0, |rule| rule.id());
    let text = format!(
        "{}\npossible; what the frames show decides (tilelint explain {})",
        suspicion.message, suspicion.rule
    );
    Message {
        severity: vk::DebugUtilsMessageSeverityFlagsEXT::INFO,
        types: vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE,
        id_name: c_string(suspicion.rule),
        id_number: id_number.cast_signed(),
        text: c_string(&text),
        objects: vec![MessageObject {
            object_type: vk::ObjectType::RENDER_PASS,
            handle: render_pass.as_raw(),
            name: None,
        }],
        queue_labels: Vec::new(),
        labels: Vec::new(),
    }
}

fn text(finding: &Finding) -> String {
    let mut lines = vec![finding.message.clone()];
    if let Some(pass) = &finding.location.pass {
        lines.push(format!("in pass `{pass}`"));
    }
    lines.extend(finding.why.iter().map(|why| format!("why: {why}")));
    lines.extend(finding.fixes.first().map(|fix| format!("fix: {}", fix.text)));
    lines.push(format!(
        "on: {}; {} (tilelint explain {})",
        finding.targets.join(", "),
        finding.confidence.word(),
        finding.rule
    ));
    lines.join("\n")
}

fn object((object, name): &(Object, String)) -> MessageObject {
    MessageObject {
        object_type: object_type(object.kind),
        handle: object.key,
        name: (!name.is_empty()).then(|| c_string(name)),
    }
}

/// A text of the layer or the application, up to its first NUL.
fn c_string(text: &str) -> CString {
    let bytes = text.as_bytes();
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    CString::new(&bytes[..end]).expect("it ends before the first NUL")
}

fn object_type(kind: Kind) -> vk::ObjectType {
    match kind {
        Kind::Device => vk::ObjectType::DEVICE,
        Kind::Queue => vk::ObjectType::QUEUE,
        Kind::Image => vk::ObjectType::IMAGE,
        Kind::Memory => vk::ObjectType::DEVICE_MEMORY,
        Kind::View => vk::ObjectType::IMAGE_VIEW,
        Kind::Buffer => vk::ObjectType::BUFFER,
        Kind::Sampler => vk::ObjectType::SAMPLER,
        Kind::Swapchain => vk::ObjectType::SWAPCHAIN_KHR,
        Kind::RenderPass => vk::ObjectType::RENDER_PASS,
        Kind::Framebuffer => vk::ObjectType::FRAMEBUFFER,
        Kind::Shader => vk::ObjectType::SHADER_MODULE,
        Kind::SetLayout => vk::ObjectType::DESCRIPTOR_SET_LAYOUT,
        Kind::PipelineLayout => vk::ObjectType::PIPELINE_LAYOUT,
        Kind::Set => vk::ObjectType::DESCRIPTOR_SET,
        Kind::Pipeline => vk::ObjectType::PIPELINE,
        Kind::Semaphore => vk::ObjectType::SEMAPHORE,
        Kind::Fence => vk::ObjectType::FENCE,
        Kind::Event => vk::ObjectType::EVENT,
        Kind::QueryPool => vk::ObjectType::QUERY_POOL,
        Kind::Commands => vk::ObjectType::COMMAND_BUFFER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilelint::call::listing;
    use tilelint::config::Config;
    use tilelint::lint::lint;

    #[test]
    fn labels_of_the_queue_stand_apart_from_those_of_the_command_buffer() {
        let text = "calls version=1 targets=quest2
image d format=D32_SFLOAT extent=1024x1024 usage=DEPTH_STENCIL_ATTACHMENT
label-begin text=\"frame\" queue=graphics
repeat 5
  label-begin text=\"shadows\"
  pass main
    attach d load=CLEAR store=STORE
    draw vertices=3
  end
  label-end
  frame
end
";
        let listing = listing::parse(text).expect("the listing is right");
        let linted = lint(&listing, None, &Config::new(), None);
        let found = linted.judged.findings.iter().find(|finding| finding.location.pass.is_some());
        let message = message(found.expect("the pass draws what nobody reads"));
        assert_eq!(message.queue_labels, [c"frame".to_owned()]);
        assert_eq!(message.labels, [c"shadows".to_owned()]);
    }
}
