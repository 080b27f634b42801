//! The command `discreet page`: serves the page to this computer alone.

use std::borrow::Cow;
use std::ffi::OsString;
use std::net::Ipv4Addr;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use tiny_http::{Header, Method, Request, Response, Server};

use super::args::Args;
use super::error::CliError;
use super::{help, print};
use crate::words;

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// One port, because browsers keep the ledgers of each port apart.
const PORT: u16 = 8640;

/// The headers of docs/hosting.md that matter on this computer.
pub const HEADERS: [(&str, &str); 5] = [
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; \
         connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'self'; form-action 'none'; \
         frame-ancestors 'none'",
    ),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), usb=(), serial=(), bluetooth=()"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
];

/// Where the page's files are.
enum Files {
    /// In this program: built with `DISCREET_PAGE` (see build.rs).
    Carried,
    /// In a folder as `make dist` writes it.
    Folder(PathBuf),
}

impl Files {
    fn get(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        match self {
            Self::Carried => {
                PAGE.iter().find(|(own, _)| *own == name).map(|(_, bytes)| Cow::Borrowed(*bytes))
            }
            Self::Folder(folder) => {
                let path = Path::new(name);
                let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
                let file = inside.then(|| fs::canonicalize(folder.join(path)).ok())??;
                file.starts_with(folder).then(|| fs::read(file).ok()).flatten().map(Cow::Owned)
            }
        }
    }
}

/// Runs the command until it is stopped.
///
/// # Errors
/// [`CliError`] when there is no page or the port is taken.
pub fn run(arguments: Vec<OsString>) -> Result<(), CliError> {
    let Some(args) = Args::parse(arguments, &["folder", "port"], &["no-open"], help::PAGE)? else {
        return Ok(());
    };
    let [] = args.places([])?;
    let files = match args.path("folder") {
        Some(folder) => Files::Folder(
            fs::canonicalize(&folder).map_err(|error| CliError::unreadable("folder", &folder, error))?,
        ),
        None => Files::Carried,
    };
    if files.get("index.html").is_none() {
        return Err(CliError::usage(match files {
            Files::Carried => words::error::page_absent(),
            Files::Folder(_) => words::error::page_folder(),
        }));
    }
    let port = args.value("port", "a port from 1 to 65535")?.unwrap_or(PORT);
    // A number and not `localhost`: another program could answer to that name under IPv6.
    let server = Server::http((Ipv4Addr::LOCALHOST, port))
        .map_err(|error| CliError::failed(words::error::page_port(port, error)))?;
    let port = server.server_addr().to_ip().map_or(port, |address| address.port());
    let host = format!("127.0.0.1:{port}");
    let address = format!("http://{host}/");
    print(format!("discreet is at {address}\nOnly this computer can open it. Ctrl-C stops it.\n"))?;
    if !args.flag("no-open") {
        // Without a browser the address that was printed is enough.
        let _ = open::that_detached(&address);
    }
    for request in server.incoming_requests() {
        // A browser that went away is no fault.
        let _ = answer(request, &files, &host);
    }
    Ok(())
}

/// Answers only requests to this address. Under another name of this computer a browser would keep other ledgers.
fn answer(request: Request, files: &Files, address: &str) -> io::Result<()> {
    let path = request.url().split(['?', '#']).next().unwrap_or_default();
    let name = match path.strip_prefix('/').unwrap_or_default() {
        folder if folder.is_empty() || folder.ends_with('/') => format!("{folder}index.html"),
        name => name.to_owned(),
    };
    let host = request.headers().iter().find(|header| header.field.equiv("Host"));
    let is_here = host.is_some_and(|host| host.value.as_str() == address);
    let (status, kind, bytes): (u16, &str, Cow<'static, [u8]>) = match (request.method(), files.get(&name)) {
        _ if !is_here => {
            let advice =
                format!("Open http://{address}/ in its place: the ledgers are kept under that address.\n");
            (421, "text/plain", Cow::Owned(advice.into_bytes()))
        }
        (Method::Get | Method::Head, Some(bytes)) => (200, kind(&name), bytes),
        (Method::Get | Method::Head, None) => (404, "text/plain", Cow::Borrowed(b"Not here.\n")),
        _ => (405, "text/plain", Cow::Borrowed(b"Only GET and HEAD.\n")),
    };
    let fixed = HEADERS.into_iter().chain([("Cache-Control", "no-cache"), ("Content-Type", kind)]);
    let headers = fixed.filter_map(|(name, value)| Header::from_bytes(name, value).ok()).collect();
    let length = bytes.len();
    request.respond(Response::new(status.into(), headers, io::Cursor::new(bytes), Some(length), None))
}

/// Returns the type of a file from the end of its name. Browsers run scripts and styles only if they have these types.
fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "csv" => "text/csv; charset=utf-8",
        "json" => "application/json",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
