//! Swapchains that a frame presents, and places of them.

use ash::vk;

use crate::call::{Object, SwapchainKey};
use crate::finding::{Edit, EditObject, Mark, QuoteLine};
use crate::model::{Content, DeviceModel, Frame, State, Step, StepRef, Swapchain, without_digits};
use crate::rule::{Place, identifier};

/// A present of a frame.
pub struct Shown<'a> {
    /// The step.
    pub step: &'a StepRef,
    /// The image's content.
    pub content: &'a Content,
    /// The swapchain.
    pub chain: SwapchainKey,
}

/// The presents of a frame.
pub fn presents(frame: &Frame) -> impl Iterator<Item = Shown<'_>> {
    frame.steps.iter().filter_map(|step| match step {
        Step::Present { step, content, swapchain, .. } => {
            Some(Shown { step, content, chain: *swapchain })
        }
        _ => None,
    })
}

/// The swapchains that a frame presents and that still live, each once.
pub fn presented<'a>(frame: &Frame, device: &'a DeviceModel) -> Vec<&'a Swapchain> {
    let mut keys: Vec<SwapchainKey> = presents(frame).map(|shown| shown.chain).collect();
    keys.sort_unstable();
    keys.dedup();
    let mut chains: Vec<_> =
        device.swapchains().filter(|chain| keys.contains(&chain.key)).collect();
    chains.sort_unstable_by_key(|chain| chain.key);
    chains
}

/// The present shows what an earlier frame showed: nothing wrote the image since. Images that
/// the display refreshes on its own are not judged.
pub fn is_unchanged(shown: &Shown<'_>, chain: &Swapchain) -> bool {
    let shared =
        [vk::PresentModeKHR::SHARED_DEMAND_REFRESH, vk::PresentModeKHR::SHARED_CONTINUOUS_REFRESH];
    let written = matches!(shown.content.state, State::Written(_));
    let before = shown.content.by.as_ref().is_some_and(|by| by.frame < shown.step.frame);
    written && before && !shared.contains(&chain.info.mode)
}

/// The place of a swapchain's creation.
pub fn place(
    frame: &Frame,
    chain: &Swapchain,
    key: &'static str,
    field: &'static str,
    device: &DeviceModel,
) -> Place {
    let mut place = Place::default();
    place.location.device = device.name.to_string();
    place.location.frame = Some(frame.index);
    place.location.field = Some(field);
    place.location.call = Some("vkCreateSwapchainKHR");
    place.quote.lines.push(QuoteLine { number: chain.line.0, text: text(chain, device) });
    place.quote.marks.push(Mark { line: 0, key, label: String::new(), primary: true });
    identify(place, chain, device)
}

/// The place of a present.
pub fn present_place(shown: &StepRef, chain: &Swapchain, device: &DeviceModel) -> Place {
    let name = device.name_of(chain.key);
    let text = format!("present {}", identifier(&name.text));
    let mut place = Place::step(shown, text, "", device);
    place.location.call = Some("vkQueuePresentKHR");
    identify(place, chain, device)
}

fn identify(mut place: Place, chain: &Swapchain, device: &DeviceModel) -> Place {
    let name = device.name_of(chain.key);
    place.object = if name.given { without_digits(&name.text) } else { "swapchain".to_owned() };
    place.objects.push((Object::from(chain.key), name.text.to_string()));
    place
}

fn text(chain: &Swapchain, device: &DeviceModel) -> String {
    let info = &chain.info;
    let mut text = format!(
        "swapchain {} format={:?} extent={}x{} images={} mode={:?}",
        identifier(&device.name_of(chain.key).text),
        info.format,
        info.extent.width,
        info.extent.height,
        chain.images.len(),
        info.mode
    );
    if let Some(current) = info.current_transform {
        text += &format!(" transform={:?} current_transform={current:?}", info.transform);
    }
    text
}

/// An edit of a swapchain.
pub fn edit(
    chain: &Swapchain,
    (key, field): (&'static str, &'static str),
    from: String,
    to: String,
    device: &DeviceModel,
) -> Edit {
    let name = device.name_of(chain.key).text.to_string();
    Edit::set(EditObject::Swapchain, name, field, from, to).said_by(key, chain.line)
}
