//! The engine worker: reads the table through its scanning workers, charges the ledger, releases. Private values end here.

use std::cell::Cell;

use js_sys::Promise;
use wasm_bindgen_futures::JsFuture;
use web_sys::MessagePort;

use super::files::Files;
use super::genotypes::{self, Genotypes};
use super::protocol::{Failure, Look, Looked, Reason, ReleaseRequest, Response, RoundNumber, ScanRequest};
use super::scan_pool::ScanPool;
use super::table::{Rows, Table};
use crate::data::genotypes::{DELIMITER, Wanted};
use crate::data::{Header, HeaderRules, MinHash, Nothing, Scan, Statistic, Sums};
use crate::engine::{self, Computation, ConfiguredPlan, EngineError, Prepared};
use crate::noise::entropy::PrivateRng;
use crate::plan::bound::Encoding;
use crate::plan::{CheckedPlan, Purpose};
use crate::release::Release;
use crate::release::document::Software;
use crate::store;
use crate::words;

thread_local! {
    /// Whether this worker's request has stored its charge. From then on every failure has the same words.
    static CHARGED: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether the charge is stored.
pub fn charged() -> bool {
    CHARGED.get()
}

/// Recognises the table, and keeps its minhash.
pub async fn identify(
    files: Files,
    ports: Vec<MessagePort>,
    post: impl Fn(&Response),
) -> Result<String, Failure> {
    if genotypes::are(&files) {
        let minhash =
            MinHash::of_people(&store::minhash_key().await?, genotypes::people(&files).await?.people());
        let (key, _) = ScanPool::new(files, ports, post, 1).recognise(None).await?;
        store::keep_minhash(&key, &minhash).await?;
        return Ok(key);
    }
    let mut table = Table::new(files, ports, post, 1)?;
    // A name of any bytes will do here. A file without a header that can be read is hashed as if all of it were records;
    // nothing can be released from it as it stands.
    let rules = HeaderRules { encoding: Encoding::Latin1, ..HeaderRules::default() };
    let header = match table.header(rules).await {
        Err(Failure { reason: Reason::Table, .. }) => {
            Header { names: Vec::new(), delimiter: b',', body_offset: 0, lines: 0 }
        }
        header => header?,
    };
    let (key, minhash) = table.pool.recognise(Some(&header)).await?;
    store::keep_minhash(&key, &minhash).await?;
    Ok(key)
}

/// Reads what the page shows of genotypes before they are described.
pub async fn look(request: &Look, files: Files, post: impl Fn(&Response)) -> Result<Looked, Failure> {
    let mut pool = ScanPool::new(files.clone(), Vec::new(), post, 1);
    genotypes::look(request, &files, &mut |bytes| pool.advance(bytes)).await
}

/// Reads the table, waits for the click, charges, releases.
pub async fn release(
    request: ReleaseRequest,
    files: Files,
    ports: Vec<MessagePort>,
    click: MessagePort,
    post: impl Fn(&Response),
) -> Result<store::Settled, Failure> {
    let ReleaseRequest { files: _, columns, plan, table: key, name, build, public } = request;
    let refused = |error: EngineError| Failure::new(Reason::Plan, error.to_string());
    let configured =
        ConfiguredPlan::new(plan.clone(), public.is_some(), Purpose::Release).map_err(refused)?;
    let mut source = Source::open(files, ports, &post, configured.checked()).await?;
    let (names, delimiter) = source.header(configured.checked());
    let names = names.to_vec();
    let prepared = configured.prepare(public.as_ref(), &names, delimiter).map_err(refused)?;
    // With genotypes the page knows the chosen variants, and the plan may fit others.
    if prepared.fit().bound().columns.len() != columns {
        return Err(Failure::new(Reason::Plan, words::failure::other_columns()));
    }
    let software = Software::new(build);
    let told = |prepared: &Prepared, plan| ScanRequest::Plan {
        plan: Box::new(plan),
        names: names.clone(),
        delimiter,
        public: prepared.public().cloned().map(Box::new),
    };
    let stage = Stage {
        key: &key,
        name: &name,
        told: told(&prepared, plan),
        prepared: &prepared,
        software: &software,
        click: Some(&click),
    };
    let (settled, release) = stage.release(&mut source, &post).await?;
    if !prepared.estimates_bounds() || !settled.kept {
        return Ok(settled);
    }
    // The bounds are paid for and stored. Where some were not found, they are all that is released.
    let fit = match engine::after_bounds(&prepared, &release, &names, delimiter, Purpose::Release) {
        Ok(fit) => fit,
        Err(EngineError::NotFound) => return Ok(settled),
        Err(_) => return Err(Failure::after_charge(Reason::Internal)),
    };
    source.scan_pool().tell(&ScanRequest::Forget)?;
    let (name, told) = (format!("{name} fit"), told(&fit, fit.plan().clone()));
    let stage = Stage { key: &key, name: &name, told, prepared: &fit, software: &software, click: None };
    match stage.release(&mut source, &post).await {
        // The person did not save the second charge, so nothing was charged for it.
        Err(Failure { reason: Reason::Cancelled, charged: false, .. }) => Ok(settled),
        fitted => fitted.map(|(settled, _)| settled),
    }
}

/// One charge with what it pays for.
struct Stage<'a> {
    key: &'a str,
    name: &'a str,
    /// The plan, for the scanning workers.
    told: ScanRequest,
    prepared: &'a Prepared,
    software: &'a Software,
    /// What brings the click, where nothing was charged and read before: then it is checked that the files are the key's table, and that
    /// the ledger has the budget of all stages.
    click: Option<&'a MessagePort>,
}

impl Stage<'_> {
    /// Reads the table, charges, and releases. The release is stored with its charge.
    async fn release<P: Fn(&Response)>(
        self,
        source: &mut Source<P>,
        post: impl Fn(&Response),
    ) -> Result<(store::Settled, Release), Failure> {
        let Self { key, name, told, prepared, software, click } = self;
        let read = source.read(&told, prepared, click.map(|_| key)).await;
        if let Some(click) = click {
            clicked(click).await?;
            // A table without its ledger is told from one whose file was changed.
            store::check(key, &prepared.whole_request()).await?;
        }
        let scan = read?;
        engine::check_rows(scan.records)
            .and_then(|()| engine::check_table(prepared, scan.records, scan.persons))
            .map_err(|error| Failure::new(Reason::Table, error.to_string()))?;

        // The generator is seeded before the charge, because the operating system may refuse. No noise is drawn before the charge.
        let rng = PrivateRng::from_os().map_err(|error| Failure::new(Reason::Internal, error.to_string()))?;
        let charge = store::charge(key, name, &prepared.request()).await?;
        CHARGED.set(true);
        post(&Response::Charged);

        let failed = |_| Failure::after_charge(Reason::Internal);
        let mut material = scan.sink;
        let mut computation = Computation::new(prepared, rng);
        while let Some(statistic) = computation.next_statistic() {
            let sums = source.sums(prepared, &mut material, &statistic, computation.number()).await?;
            let answer = computation.answer(&sums).map_err(failed)?;
            if prepared.repeats() {
                source.scan_pool().tell_answer(&answer)?;
            }
        }
        let release = computation.release(charge.reference(), software.clone()).map_err(failed)?;
        Ok((charge.settle(&release).await?, release))
    }
}

/// Waits until the page tells that the release was asked for.
async fn clicked(click: &MessagePort) -> Result<(), Failure> {
    let told = Promise::new(&mut |told, _| click.set_onmessage(Some(&told)));
    JsFuture::from(told).await.map(drop).map_err(|_| Failure::protocol())
}

/// The files of a release, with the workers that read them.
enum Source<P> {
    Table(Table<P>, Header),
    Genotypes(ScanPool<P>, Box<Genotypes>),
}

/// The data that were read before the charge.
enum Material {
    /// The sums of the only round.
    Summed(Option<Sums>),
    /// The rows of a CSV.
    Rows(Rows),
    /// Calls and phenotypes in memory, of which each round makes the rows again.
    Calls,
    /// The same in the scanning workers.
    Shared,
}

impl<P: Fn(&Response)> Source<P> {
    /// Reads what is public about the files, and of genotypes the samples and the variants that the plan uses.
    async fn open(
        files: Files,
        ports: Vec<MessagePort>,
        post: P,
        checked: &CheckedPlan,
    ) -> Result<Self, Failure> {
        if genotypes::are(&files) {
            let mut pool = ScanPool::new(files.clone(), ports, post, 3);
            let wanted = Wanted::new(&checked.plan);
            let opened =
                Genotypes::open(&files, &wanted, checked.encoding, &mut |bytes| pool.advance(bytes)).await?;
            return Ok(Self::Genotypes(pool, Box::new(opened)));
        }
        let table = Table::new(files, ports, post, 1)?;
        let rules = HeaderRules::of(checked);
        let header = table.header(rules).await?;
        Ok(Self::Table(table, header))
    }

    /// Returns the columns' names and the delimiter.
    fn header(&self, checked: &CheckedPlan) -> (&[String], u8) {
        match self {
            Self::Table(_, header) => (&header.names, header.delimiter),
            Self::Genotypes(_, opened) => (opened.names(), checked.delimiter.unwrap_or(DELIMITER)),
        }
    }

    fn scan_pool(&mut self) -> &mut ScanPool<P> {
        match self {
            Self::Table(table, _) => &mut table.pool,
            Self::Genotypes(pool, _) => pool,
        }
    }

    /// Reads all records before the charge: sums the only round, or keeps the rows for all of them. The workers are `told` the plan. If
    /// `key` is given, another table than the key's is refused.
    async fn read(
        &mut self,
        told: &ScanRequest,
        prepared: &Prepared,
        key: Option<&str>,
    ) -> Result<Scan<Material>, Failure> {
        let several = prepared.repeats();
        self.scan_pool().tell(told)?;
        match self {
            Self::Table(table, header) => {
                if several {
                    Ok(table.keep(header, prepared, key).await?.map(Material::Rows))
                } else {
                    let scan = table.sums(header, prepared, key, &prepared.statistic()).await?;
                    Ok(scan.map(|sums| Material::Summed(Some(sums))))
                }
            }
            Self::Genotypes(pool, opened) => {
                if let Some(key) = key
                    && pool.recognise(None).await?.0 != key
                {
                    return Err(Failure::new(Reason::File, words::failure::other_file()));
                }
                opened.load(prepared, &mut |bytes| pool.advance(bytes)).await?;
                if let Some(records) = opened.share(prepared, &pool.scanners)? {
                    let material = if several {
                        Material::Shared
                    } else {
                        Material::Summed(Some(pool.sum_all(&prepared.statistic()).await?))
                    };
                    return Ok(Scan { sink: material, records, persons: None });
                }
                let weight = pool.files.length();
                let read = &mut |bytes| pool.advance(bytes);
                if several {
                    Ok(opened.scan(prepared, || Nothing, weight, read)?.map(|_| Material::Calls))
                } else {
                    let scan = opened.scan(prepared, || prepared.sums(), weight, read)?;
                    Ok(scan.map(|sums| Material::Summed(Some(sums))))
                }
            }
        }
    }

    /// Sums all records for the open round, the `number`th.
    async fn sums(
        &mut self,
        prepared: &Prepared,
        material: &mut Material,
        statistic: &Statistic,
        number: u32,
    ) -> Result<Sums, Failure> {
        if let Material::Summed(sums) = material {
            return sums.take().ok_or_else(Failure::protocol);
        }
        let kept = !matches!(material, Material::Rows(Rows::InFile { .. }));
        self.scan_pool().begin(RoundNumber { number, of: prepared.rounds(), kept });
        match (self, material) {
            (Self::Table(table, header), Material::Rows(rows)) => {
                table.round(header, prepared, rows, statistic).await
            }
            (Self::Genotypes(pool, _), Material::Shared) => pool.sum_all(statistic).await,
            (Self::Genotypes(pool, opened), Material::Calls) => {
                let weight = pool.files.length();
                let read = &mut |bytes| pool.advance(bytes);
                Ok(opened.scan(prepared, || statistic.empty(), weight, read)?.sink)
            }
            _ => Err(Failure::protocol()),
        }
    }
}
