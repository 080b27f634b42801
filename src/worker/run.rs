//! The engine worker: reads the table through its scanning workers, charges the ledger, releases. Private values end here.

use std::cell::Cell;

use js_sys::Promise;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageEvent, MessagePort};

use super::channel::unpack;
use super::files::Files;
use super::genotypes::{self, Genotypes};
use super::inspect;
use super::protocol::{
    Failure, FirstReading, Look, Looked, Reason, ReleaseRequest, Response, RoundNumber, ScanRequest,
};
use super::scan_pool::ScanPool;
use super::table::{Also, Beside, Rows, Table};
use crate::data::genotypes::{DELIMITER, Wanted};
use crate::data::inspection::{Column, Counts};
use crate::data::{Header, HeaderRules, MinHash, Nothing, Scan, Statistic, Sums};
use crate::engine::{self, Computation, ConfiguredPlan, EngineError, Prepared};
use crate::noise::entropy::PrivateRng;
use crate::plan::bound::{BoundPlan, Encoding};
use crate::plan::{CheckedPlan, Plan, Purpose};
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
    let header = any_header(&table).await?;
    let (key, minhash) = table.pool.recognise(Some(&header)).await?;
    store::keep_minhash(&key, &minhash).await?;
    Ok(key)
}

/// Returns the header below which records are hashed for the MinHash, whatever a plan says of the file.
async fn any_header<P: Fn(&Response)>(table: &Table<P>) -> Result<Header, Failure> {
    // A name of any bytes will do here. A file without a header that can be read is hashed as if all of it were records;
    // nothing can be released from it as it stands.
    let rules = HeaderRules { encoding: Encoding::Latin1, ..HeaderRules::default() };
    match table.header(rules).await {
        Err(Failure { reason: Reason::Table, .. }) => {
            Ok(Header { names: Vec::new(), delimiter: b',', body_offset: 0, lines: 0, marked: false })
        }
        header => header,
    }
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
    let configured = configured(&request)?;
    let mut source = Source::open(files, ports, &post, configured.checked()).await?;
    let (names, delimiter) = source.header(configured.checked());
    let names = names.to_vec();
    let mut prepared = prepare(configured, &request, &names, delimiter)?;
    let told = |prepared: &Prepared, plan: &Plan| ScanRequest::Plan {
        plan: Box::new(plan.clone()),
        names: names.clone(),
        delimiter,
        public: prepared.public().cloned().map(Box::new),
    };
    let mut read = source.first(&told(&prepared, &request.plan), &prepared, &request).await;
    post(&Response::Read(read.as_ref().map(|(_, known)| known.clone()).map_err(Failure::clone)));

    // What was read before the click depends on the columns and not on the budget.
    let asked = clicked(&click).await?;
    let key = asked.table.clone().filter(|_| request.reads_as(&asked)).ok_or_else(Failure::protocol)?;
    let mut serves = true;
    if asked.plan != request.plan {
        let changed = prepare(self::configured(&asked)?, &asked, &names, delimiter)?;
        serves = prepared.reads_as(&changed);
        prepared = changed;
        source.scan_pool().tell(&told(&prepared, &asked.plan))?;
    }
    // Distinguishes a table without a ledger from a table whose file was changed.
    store::check(&key, &prepared.whole_request()).await?;
    if !serves {
        source.scan_pool().begin_again().await?;
        read = source.first(&told(&prepared, &asked.plan), &prepared, &asked).await;
    }
    let (scan, known) = read?;
    if known.table != key {
        return Err(other_file());
    }

    let software = Software::new(asked.build);
    let seen = asked.seen.as_deref();
    let stage = Stage { key: &key, name: &asked.name, seen, prepared: &prepared, software: &software };
    let (settled, release) = stage.release(scan, &mut source, &post).await?;
    if !prepared.estimates_bounds() || !settled.kept {
        return Ok(settled);
    }
    // The bounds are charged and stored. If some were not found, nothing else is released.
    let fit = match engine::after_bounds(&prepared, &release, &names, delimiter, Purpose::Release) {
        Ok(fit) => fit,
        Err(EngineError::NotFound) => return Ok(settled),
        Err(_) => return Err(Failure::after_charge(Reason::Internal)),
    };
    source.scan_pool().tell(&ScanRequest::Forget)?;
    let (scan, _) = source.read(&told(&fit, fit.plan()), &fit, Also::default(), None).await?;
    let name = format!("{} fit", asked.name);
    let stage = Stage { key: &key, name: &name, seen: None, prepared: &fit, software: &software };
    match stage.release(scan, &mut source, &post).await {
        // The person did not save the ledger with the second charge, so nothing was charged for it.
        Err(Failure { reason: Reason::Cancelled, charged: false, .. }) => Ok(settled),
        fitted => fitted.map(|(settled, _)| settled),
    }
}

fn configured(request: &ReleaseRequest) -> Result<ConfiguredPlan, Failure> {
    ConfiguredPlan::new(request.plan.clone(), request.public.is_some(), Purpose::Release)
        .map_err(Failure::plan)
}

fn prepare(
    configured: ConfiguredPlan,
    request: &ReleaseRequest,
    names: &[String],
    delimiter: u8,
) -> Result<Prepared, Failure> {
    let prepared = configured.prepare(request.public.as_ref(), names, delimiter).map_err(Failure::plan)?;
    // With genotypes the page knows the chosen variants, and the plan may fit others.
    if prepared.fit().bound().columns.len() != request.columns {
        return Err(Failure::new(Reason::Plan, words::failure::other_columns()));
    }
    Ok(prepared)
}

fn other_file() -> Failure {
    Failure::new(Reason::File, words::failure::other_file())
}

/// One charge with what it pays for.
struct Stage<'a> {
    key: &'a str,
    name: &'a str,
    seen: Option<&'a str>,
    prepared: &'a Prepared,
    software: &'a Software,
}

impl Stage<'_> {
    /// Charges for what was read, and releases. The release is stored with its charge.
    async fn release<P: Fn(&Response)>(
        self,
        scan: Scan<Material>,
        source: &mut Source<P>,
        post: impl Fn(&Response),
    ) -> Result<(store::Settled, Release), Failure> {
        let Self { key, name, seen, prepared, software } = self;
        engine::check_rows(scan.records)
            .and_then(|()| engine::check_table(prepared, scan.records, scan.persons))
            .map_err(|error| Failure::new(Reason::Table, error.to_string()))?;

        // The generator is seeded before the charge, because the operating system may refuse. No noise is drawn before the charge.
        let rng = PrivateRng::from_os().map_err(|error| Failure::new(Reason::Internal, error.to_string()))?;
        let charge = store::charge(key, name, seen, &prepared.request()).await?;
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

/// Waits until the page asks for the release, and returns its request.
async fn clicked(click: &MessagePort) -> Result<ReleaseRequest, Failure> {
    let told = Promise::new(&mut |told, _| click.set_onmessage(Some(&told)));
    let event: MessageEvent = JsFuture::from(told).await.map_err(|_| Failure::protocol())?.unchecked_into();
    Ok(unpack(&event.data())?.body)
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

    /// Reads all records before the first charge, with what else the request wants of the same bytes: the table's key, by which
    /// the page finds its ledger, its MinHash where it has no key yet, and the cells that do not fit. If they cannot be read in
    /// one pass, nothing is read, and the page requests each one separately.
    async fn first(
        &mut self,
        told: &ScanRequest,
        prepared: &Prepared,
        request: &ReleaseRequest,
    ) -> Result<(Scan<Material>, FirstReading), Failure> {
        let also = Also { key: true, minhash: request.table.is_none(), counts: request.inspect.is_some() };
        if also.minhash {
            self.hash_beside().await?;
        }
        let inspected = request.inspect.as_ref();
        let described = inspected.map(|plan| self.inspect_beside(plan, prepared)).transpose()?;
        let (scan, beside) = self.read(told, prepared, also, request.table.as_deref()).await?;
        let table = beside.key.ok_or_else(Failure::protocol)?;
        if also.minhash {
            store::keep_minhash(&table, &beside.minhash.unwrap_or_default()).await?;
        }
        let inspected = described.map(|bound| {
            let sink = beside.counts.unwrap_or_else(|| Counts::new(bound.columns.len()));
            inspect::inspected(bound, Scan { sink, records: scan.records, persons: None })
        });
        Ok((scan, FirstReading { table, inspected }))
    }

    /// Tells the workers to hash the records that they read, too, where those of the MinHash are the same.
    async fn hash_beside(&mut self) -> Result<(), Failure> {
        let Self::Table(table, own) = self else { return Err(Failure::protocol()) };
        let any = any_header(table).await?;
        let is_other = (any.delimiter, any.body_offset) != (own.delimiter, own.body_offset);
        // In a table of one column a blank line is a record, but none that is hashed.
        if is_other || own.names.len() < 2 {
            return Err(Failure::protocol());
        }
        table.pool.hash_records(own.delimiter).await
    }

    /// Tells the workers to count the cells that do not fit in the records that they read, too, where the same rules cut these.
    fn inspect_beside(&mut self, plan: &Plan, prepared: &Prepared) -> Result<BoundPlan, Failure> {
        let Self::Table(table, header) = self else { return Err(Failure::protocol()) };
        let described = inspect::bind(plan, header)?;
        let is_alike = inspect::rules(plan)? == HeaderRules::of(prepared.checked());
        if !is_alike || !Column::are_beside(&described, prepared.bound()) {
            return Err(Failure::protocol());
        }
        table.pool.tell(&inspect::request(plan.clone(), header))?;
        Ok(described)
    }

    /// Reads all records before a charge: sums the only round, or keeps the rows for all of them. The workers are `told` the plan. Of
    /// genotypes another table than the `key`'s is refused before its records are read.
    async fn read(
        &mut self,
        told: &ScanRequest,
        prepared: &Prepared,
        also: Also,
        key: Option<&str>,
    ) -> Result<(Scan<Material>, Beside), Failure> {
        let several = prepared.repeats();
        self.scan_pool().tell(told)?;
        match self {
            Self::Table(table, header) => {
                if several {
                    let (scan, beside) = table.keep(header, prepared, also).await?;
                    Ok((scan.map(Material::Rows), beside))
                } else {
                    let (scan, beside) = table.sums(header, prepared, also, &prepared.statistic()).await?;
                    Ok((scan.map(|sums| Material::Summed(Some(sums))), beside))
                }
            }
            Self::Genotypes(pool, opened) => {
                let mut beside = Beside::default();
                if also.key {
                    let (found, _) = pool.recognise(None).await?;
                    if key != Some(&*found) {
                        return Err(other_file());
                    }
                    beside.key = Some(found);
                }
                opened.load(prepared, &mut |bytes| pool.advance(bytes)).await?;
                if let Some(records) = opened.share(prepared, &pool.scanners)? {
                    let material = if several {
                        Material::Shared
                    } else {
                        Material::Summed(Some(pool.sum_all(&prepared.statistic()).await?))
                    };
                    return Ok((Scan { sink: material, records, persons: None }, beside));
                }
                let weight = pool.files.length();
                let read = &mut |bytes| pool.advance(bytes);
                if several {
                    let scan = opened.scan(prepared, || Nothing, weight, read)?;
                    Ok((scan.map(|_| Material::Calls), beside))
                } else {
                    let scan = opened.scan(prepared, || prepared.sums(), weight, read)?;
                    Ok((scan.map(|sums| Material::Summed(Some(sums))), beside))
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
