//! The few things that the page asks of the browser itself.

use js_sys::{Object, Promise, Reflect, Uint8Array};
use serde::Serialize;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, CanvasRenderingContext2d, ClipboardEvent, Element, File, FocusOptions, HtmlAnchorElement,
    HtmlCanvasElement, HtmlDocument, HtmlElement, HtmlImageElement, HtmlInputElement, MouseEvent,
    ScrollIntoViewOptions, ScrollLogicalPosition, Url,
};

use crate::store::document::from_text;
use crate::text::json;
use crate::words;

pub use crate::worker::pool::clock;

/// Returns the document's element with that identifier.
pub fn element(id: &str) -> Option<HtmlElement> {
    web_sys::window()?.document()?.get_element_by_id(id)?.dyn_into().ok()
}

/// Returns the part of the address after the page's own, with its `#`.
pub fn hash() -> String {
    web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default()
}

/// Writes that part of the address, as a new entry of the browser's history where it changes.
pub fn set_hash(hash: &str) {
    if let Some(window) = web_sys::window() {
        // If the browser refuses, only the address is out of date.
        let _ = window.location().set_hash(hash);
    }
}

/// Writes that part of the address without a new entry in the browser's history.
pub fn replace_hash(hash: &str) {
    if let Some(history) = web_sys::window().and_then(|window| window.history().ok()) {
        // If the browser refuses, only the address is out of date.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(hash));
    }
}

/// Moves the focus there once the page has been drawn.
pub fn focus_soon(id: &'static str) {
    soon(move || focus(id));
}

/// Moves the focus soon, and scrolls only where the element is not in sight. A browser would scroll to the place that an element of a bar
/// that sticks has in the text.
pub fn focus_in_sight_soon(id: &'static str) {
    soon(move || {
        let Some(element) = element(id) else { return };
        let options = FocusOptions::new();
        options.set_prevent_scroll(true);
        let _ = element.focus_with_options(&options);
        let place = element.get_bounding_client_rect();
        let height = web_sys::window().and_then(|window| window.inner_height().ok()?.as_f64());
        if place.top() < 0.0 || height.is_some_and(|height| place.bottom() > height) {
            element.scroll_into_view_with_bool(true);
        }
    });
}

/// Moves the focus to a step's title and the page to its top.
pub fn top_soon(id: &'static str) {
    soon(move || {
        if let Some(window) = web_sys::window() {
            window.scroll_to_with_x_and_y(0.0, 0.0);
        }
        if let Some(element) = element(id) {
            let _ = element.focus();
        }
    });
}

/// Does what moves the focus once the page has been drawn. Drawing may take its time: a person who has moved on meanwhile, and types
/// perhaps, keeps the focus.
fn soon(moves: impl FnOnce() + 'static) {
    let before = control();
    leptos::prelude::request_animation_frame(move || {
        let now = control();
        if now.is_none() || now == before {
            moves();
        }
    });
}

/// Returns the element that has the focus.
fn focused() -> Option<Element> {
    web_sys::window()?.document()?.active_element()
}

/// Returns the control that has the focus. The page also moves the focus to titles and messages, and those do not count.
fn control() -> Option<Element> {
    let focused = focused()?;
    focused.matches("input, select, textarea, button, summary, a").ok()?.then_some(focused)
}

/// Returns whether an event comes from the element with that identifier.
pub fn is_of(target: Option<web_sys::EventTarget>, id: &str) -> bool {
    target.and_then(|target| target.dyn_into::<Element>().ok()).is_some_and(|element| element.id() == id)
}

/// Returns whether an event comes from an element into which a person types text.
pub fn is_typed_in(target: Option<web_sys::EventTarget>) -> bool {
    let element = target.and_then(|target| target.dyn_into::<Element>().ok());
    let text =
        "textarea, [contenteditable], input:not([type=checkbox], [type=radio], [type=range], [type=file])";
    element.is_some_and(|element| element.matches(text).unwrap_or(false))
}

/// Takes an element out of the page.
pub fn remove(id: &str) {
    if let Some(element) = element(id) {
        element.remove();
    }
}

/// Moves the focus there now.
pub fn focus(id: &str) {
    if let Some(element) = element(id) {
        let _ = element.focus();
        element.scroll_into_view_with_bool(true);
    }
}

/// Moves the focus to the field in whose cell or block something was clicked.
pub fn focus_field_of(event: &MouseEvent) {
    let clicked = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let around = clicked.and_then(|clicked| clicked.closest("td, .field").ok().flatten());
    let input = around.and_then(|around| around.query_selector("input").ok().flatten());
    if let Some(input) = input.and_then(|input| input.dyn_into::<HtmlElement>().ok()) {
        let _ = input.focus();
    }
}

/// Moves the focus soon where a button was pressed by a key and is gone then: it would be lost. After a click or a touch what has changed is
/// brought into sight.
pub fn focus_after_key(event: &MouseEvent, selector: impl Into<String>) {
    if event.detail() == 0 {
        focus_selector_soon(selector.into());
    } else {
        show_soon(selector.into());
    }
}

/// The share of the window's height below which what is to be seen is out of sight: a bar covers the bottom.
const IN_SIGHT: f64 = 0.6;

/// Brings an element to the top of the window once the page has been drawn, where it is out of sight.
pub fn show_soon(selector: String) {
    leptos::prelude::request_animation_frame(move || {
        let Some(found) = selected(&selector) else { return };
        let top = found.get_bounding_client_rect().top();
        let height = web_sys::window().and_then(|window| window.inner_height().ok()?.as_f64());
        if top < 0.0 || height.is_some_and(|height| top > IN_SIGHT * height) {
            found.scroll_into_view_with_bool(true);
        }
    });
}

/// Returns whether a click is the touch of a finger.
pub fn is_touch(event: &MouseEvent) -> bool {
    Reflect::get(event, &"pointerType".into()).is_ok_and(|kind| kind.as_string().as_deref() == Some("touch"))
}

/// Moves the focus to an element that a selector finds, once the page has been drawn, and brings it to the middle of the window: what is
/// said of it stands below, and a bar covers the bottom. A step that has just been opened is at its final height one frame later.
pub fn focus_selector_soon(selector: String) {
    focus_selector_within(selector, FRAMES);
}

/// Moves the focus to that element in one of the next frames: a part of a step may be drawn after the step.
fn focus_selector_within(selector: String, frames: u32) {
    soon(move || {
        if focus_selector(&selector) {
            leptos::prelude::request_animation_frame(|| {
                let options = ScrollIntoViewOptions::new();
                options.set_block(ScrollLogicalPosition::Center);
                if let Some(focused) = focused() {
                    focused.scroll_into_view_with_scroll_into_view_options(&options);
                }
            });
        } else if frames > 0 {
            focus_selector_within(selector, frames - 1);
        }
    });
}

/// Frames within which all parts of a step are drawn.
const FRAMES: u32 = 10;

/// Returns the first element that a selector finds.
fn selected(selector: &str) -> Option<HtmlElement> {
    let document = web_sys::window()?.document()?;
    document.query_selector(selector).ok().flatten()?.dyn_into().ok()
}

/// Moves the focus to the element that a selector finds; says whether there is one.
pub fn focus_selector(selector: &str) -> bool {
    let Some(found) = selected(selector) else { return false };
    unfold(&found);
    if let Some(input) = found.dyn_ref::<HtmlInputElement>()
        && input.type_() == "text"
    {
        input.select();
    }
    found.focus().is_ok()
}

/// Opens the folds around an element: what is inside a closed one takes no focus.
fn unfold(element: &HtmlElement) {
    while let Ok(Some(fold)) = element.closest("details:not([open])") {
        if fold.set_attribute("open", "").is_err() {
            return;
        }
    }
}

/// Lets the browser run its own tasks.
pub async fn pause() {
    let turn = Promise::new(&mut |resolve, _reject| {
        let timer = web_sys::window().and_then(|window| window.set_timeout_with_callback(&resolve).ok());
        // Without a timer the work continues at once.
        if timer.is_none() {
            let _ = resolve.call0(&JsValue::UNDEFINED);
        }
    });
    // This promise is never rejected.
    let _ = JsFuture::from(turn).await;
}

/// Reads the first bytes of a file, and says whether they are the whole file.
///
/// # Errors
/// In words, when the browser cannot read the file.
pub async fn first_bytes(file: &Blob, count: f64) -> Result<(Vec<u8>, bool), String> {
    Ok((bytes(file, 0.0, count).await?, file.size() <= count))
}

/// Reads the last bytes of a file, at most `count`, that lie beyond `from`.
///
/// # Errors
/// In words, if the browser refuses the file.
pub async fn last_bytes(file: &Blob, from: f64, count: f64) -> Result<Vec<u8>, String> {
    bytes(file, from.max(file.size() - count), file.size()).await
}

/// Reads the bytes of a file between two places.
///
/// # Errors
/// In words, if the browser refuses the file.
pub async fn bytes(file: &Blob, from: f64, to: f64) -> Result<Vec<u8>, String> {
    let gone = |_: JsValue| words::page::file_gone().to_owned();
    let slice = file.slice_with_f64_and_f64(from, to).map_err(gone)?;
    let buffer = JsFuture::from(slice.array_buffer()).await.map_err(gone)?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

/// Lists the files of a drop or of a picker.
pub fn files(list: Option<web_sys::FileList>) -> Vec<File> {
    let files = list.into_iter().flat_map(|files| (0..files.length()).map(move |place| files.get(place)));
    files.flatten().collect()
}

/// Takes the chosen files out of an input. The input is emptied, so that a file can be chosen again after it was mended.
pub fn chosen(event: &web_sys::Event) -> Vec<File> {
    let input = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
    let chosen = input.as_ref().map(|input| files(input.files())).unwrap_or_default();
    if let Some(input) = input {
        input.set_value("");
    }
    chosen
}

/// Gives the person a text as a file.
pub fn download(name: &str, kind: &str, text: &str) -> Option<()> {
    download_pieces(name, kind, [text])
}

/// Gives the person a document as a file of JSON.
pub fn download_json(name: &str, document: &impl Serialize) -> Option<()> {
    download(name, "application/json", &(json::to_text(document, true).ok()? + "\n"))
}

/// Gives the person a text as a file, of which no more than a piece is made at once.
pub fn download_pieces(
    name: &str,
    kind: &str,
    pieces: impl IntoIterator<Item = impl AsRef<[u8]>>,
) -> Option<()> {
    save(name, &from_text(pieces, kind).ok()?)
}

/// Gives the person a document as a file.
pub fn save(name: &str, document: &Blob) -> Option<()> {
    let url = Url::create_object_url_with_blob(document).ok()?;
    let document = web_sys::window()?.document()?;
    let link: HtmlAnchorElement = document.create_element("a").ok()?.dyn_into().ok()?;
    link.set_href(&url);
    link.set_download(name);
    link.click();
    Url::revoke_object_url(&url).ok()
}

/// Puts a text on the clipboard, and beside it the same as HTML for a word processor. Says whether the browser allowed it.
pub fn copy(text: &str, html: Option<&str>) -> bool {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return false };
    let (text, html) = (text.to_owned(), html.map(str::to_owned));
    let put = Closure::<dyn Fn(ClipboardEvent)>::new(move |event: ClipboardEvent| {
        let Some(data) = event.clipboard_data() else { return };
        let plain = data.set_data("text/plain", &text);
        let rich = html.as_ref().map_or(Ok(()), |html| data.set_data("text/html", html));
        if plain.is_ok() && rich.is_ok() {
            event.prevent_default();
        }
    });
    let listener = put.as_ref().unchecked_ref();
    if document.add_event_listener_with_callback("copy", listener).is_err() {
        return false;
    }
    let copied = document.dyn_ref::<HtmlDocument>().and_then(|document| document.exec_command("copy").ok());
    let _ = document.remove_event_listener_with_callback("copy", listener);
    copied.unwrap_or(false)
}

/// Gives the person an SVG as a PNG of twice its size. `None` if the browser cannot draw it.
pub async fn download_png(name: &str, svg: &str) -> Option<()> {
    let drawn = Url::create_object_url_with_blob(&from_text([svg], "image/svg+xml").ok()?).ok()?;
    let image = HtmlImageElement::new().ok()?;
    image.set_src(&drawn);
    let decoded = JsFuture::from(image.decode()).await;
    let _ = Url::revoke_object_url(&drawn);
    decoded.ok()?;
    let canvas = web_sys::window()?.document()?.create_element("canvas").ok()?;
    let canvas: HtmlCanvasElement = canvas.dyn_into().ok()?;
    canvas.set_width(2 * image.natural_width());
    canvas.set_height(2 * image.natural_height());
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    context.scale(2.0, 2.0).ok()?;
    context.draw_image_with_html_image_element(&image, 0.0, 0.0).ok()?;
    let written = js_sys::Promise::new(&mut |resolve, reject| {
        if canvas.to_blob(&resolve).is_err() {
            let _ = reject.call0(&JsValue::NULL);
        }
    });
    save(name, &JsFuture::from(written).await.ok()?.dyn_into().ok()?)
}

/// Returns today's date in the local calendar, as `2026-11-20`. No finer time may leave the page.
pub fn today() -> String {
    let now = js_sys::Date::new_0();
    format!("{:04}-{:02}-{:02}", now.get_full_year(), now.get_month() + 1, now.get_date())
}

/// Returns whether the block that an event comes from is unfolded.
pub fn is_open(event: &web_sys::Event) -> bool {
    let element = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    element.is_some_and(|element| element.has_attribute("open"))
}

/// Returns whether a click is the second of a double click, or a later one.
pub fn is_second_click(event: &web_sys::MouseEvent) -> bool {
    event.detail() > 1
}

/// The two choices of how the page looks, as attributes of the root element. The browser keeps them under these names.
const COLOURS: &str = "data-theme";
const SIZE: &str = "data-size";

/// Sets the colours of the page: `light`, `dark`, or for any other choice as the system says.
pub fn colours(choice: &str) {
    choose_look(COLOURS, Some(choice).filter(|choice| ["light", "dark"].contains(choice)));
}

/// Sets whether the page is as large as a lecture hall needs it.
pub fn presentation(on: bool) {
    choose_look(SIZE, on.then_some("large"));
}

/// Makes the page look as it was chosen before it was loaded again. Returns the colours, if they were chosen, and whether it is large.
pub fn look_again() -> (Option<String>, bool) {
    let kept = |name: &str| Reflect::get(&kept_looks()?.into(), &name.into()).ok()?.as_string();
    let (chosen, large) = (kept(COLOURS), kept(SIZE).is_some());
    colours(chosen.as_deref().unwrap_or_default());
    presentation(large);
    (chosen, large)
}

/// Forgets these choices. The page stays as it looks until it is loaded again.
pub fn forget_look() {
    for name in [COLOURS, SIZE] {
        keep_look(name, None);
    }
}

/// Returns the browser's storage for how the page looks. `None` if the browser keeps nothing.
fn kept_looks() -> Option<Object> {
    Reflect::get(&web_sys::window()?.into(), &"localStorage".into()).ok()?.dyn_into().ok()
}

fn keep_look(name: &str, value: Option<&str>) {
    let Some(kept) = kept_looks() else { return };
    // If the browser keeps nothing, the choice holds until the page is left.
    let _ = match value {
        Some(value) => Reflect::set(&kept, &name.into(), &value.into()),
        None => Reflect::delete_property(&kept, &name.into()),
    };
}

fn choose_look(name: &str, value: Option<&str>) {
    keep_look(name, value);
    mark_root(name, value);
}

fn mark_root(name: &str, value: Option<&str>) {
    let root = web_sys::window().and_then(|window| window.document()).and_then(|d| d.document_element());
    if let Some(root) = root {
        // Setting an attribute of the root element cannot fail for these names.
        let _ = match value {
            Some(value) => root.set_attribute(name, value),
            None => root.remove_attribute(name),
        };
    }
}
