//! `discreet page`: the page from this computer, for this computer.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use discreet::cli::page::HEADERS;

use crate::cli::Bench;

/// A server that ends with the test.
struct Served {
    child: Child,
    address: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    fn start(bench: &Bench) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_discreet"))
            .args(["page", "--folder", "dist", "--port", "0", "--no-open"])
            .current_dir(bench.path("."))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.trim().strip_prefix("discreet is at http://").unwrap().trim_end_matches('/').to_owned();
        Self { child, address }
    }

    /// Returns head and body of the answer.
    fn ask(&self, request: &str) -> (String, String) {
        self.ask_as(&self.address, request)
    }

    /// The same by another name of this computer.
    fn ask_as(&self, host: &str, request: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "{request} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }
}

#[test]
fn the_page_is_served_to_this_computer_with_its_headers_and_nothing_else_is() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("dist/docs")).unwrap();
    fs::write(bench.path("dist/index.html"), "start").unwrap();
    fs::write(bench.path("dist/docs/index.html"), "chapter").unwrap();
    fs::write(bench.path("dist/boot.js"), "script").unwrap();
    fs::write(bench.path("table.csv"), "private").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(bench.path("table.csv"), bench.path("dist/link.csv")).unwrap();
    let served = Served::start(&bench);
    assert!(served.address.starts_with("127.0.0.1:"), "{}", served.address);
    let (head, body) = served.ask("GET /?language=de");
    assert!(head.starts_with("HTTP/1.1 200") && body == "start", "{head} {body}");
    for (name, value) in HEADERS {
        assert!(head.contains(&format!("\r\n{name}: {value}")), "{name}: {head}");
    }
    assert_eq!(served.ask("GET /docs/").1, "chapter");
    assert!(served.ask("GET /boot.js").0.contains("Content-Type: text/javascript"));
    assert_eq!(served.ask("HEAD /boot.js").1, "");
    for path in
        ["/../table.csv", "/docs/../../table.csv", "//table.csv", "/link.csv", "/docs", "/%2e%2e/table.csv"]
    {
        let (head, body) = served.ask(&format!("GET {path}"));
        assert!(head.starts_with("HTTP/1.1 404") && !body.contains("private"), "{path}: {head} {body}");
    }
    assert!(served.ask("POST /").0.starts_with("HTTP/1.1 405"));
    let (head, body) = served.ask_as(&served.address.replace("127.0.0.1", "localhost"), "GET /");
    assert!(head.starts_with("HTTP/1.1 421") && body.contains(&served.address), "{head} {body}");
    let taken = served.address.strip_prefix("127.0.0.1:").unwrap();
    let said = bench.fails(&format!("page --folder dist --no-open --port {taken}"), 1);
    assert!(said.contains("is not free"), "{said}");
    assert!(bench.fails("page --folder dist/docs/none --no-open", 2).contains("cannot be read"));
    assert!(bench.fails("page --no-open", 2).contains("make install"));
}

#[test]
fn the_headers_are_those_of_the_documentation() {
    let documented = include_str!("../../docs/hosting.md");
    for (name, value) in HEADERS {
        assert!(documented.contains(&format!("\n{name}: {value}\n")), "{name}");
    }
}
