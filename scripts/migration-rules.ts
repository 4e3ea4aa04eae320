/**
 * What a migration may do while processes of the previous release still run (decision 59): simple
 * rules on its text. A file with the line `-- contract since NNNN: the reason` is exempt.
 */

/** The last file of each service that is older than the rules. */
const lastWithout = { platform: 3, auth: 12, cedar: 20, maple: 66 } as Record<string, number>

/** Tables that grow with use: an index that locks one of them blocks its writers. */
const bigTables = [
  /^(auth|cedar|maple)\.(event|job|account)$/,
  /^auth\.(identity|refresh_token|session)$/,
  /^cedar\.(link_open|notification_receipt|product|product_version|push_device|released_object)$/,
  /^maple\.(domain|element|exchange|installed_applet|key_set|profile|rollout_execution|session)$/,
  /^maple\.(account_bulk_item|element_history|session_command|telemetry\w*|\w+_target)$/,
  /^maple\.(cloud_handler_(log|run)|device(?!_(group|handler|handler_version|import|view)$)\w*)$/,
]

interface Statement {
  text: string
  /** Counted from 1. */
  line: number
}

export interface Fault {
  line: number
  reason: string
}

const forOlder = 'which a process of the release before still uses'

/** Each checks one statement, in lower case and with single spaces. */
const rules: { pattern: RegExp; reason: string }[] = [
  {
    pattern: /\bdrop (table|view|materialized view|schema|type|function|sequence)\b/,
    reason: `drops something ${forOlder}`,
  },
  {
    pattern: /\balter table\b.* drop (?!constraint|not null|default|expression|identity)/,
    reason: `drops a column ${forOlder}`,
  },
  { pattern: /\balter table\b.* drop column\b/, reason: `drops a column ${forOlder}` },
  { pattern: /\brename\b/, reason: `renames something ${forOlder}` },
  {
    pattern: /\balter( column)? \w+ (set data )?type\b/,
    reason: 'changes the type of a column, which writes the whole table anew under a lock',
  },
  {
    pattern: /\balter( column)? \w+ set not null\b/,
    reason: 'demands a value that a process of the release before may not write',
  },
  {
    pattern: /\badd( column)?( if not exists)? \w+ (?!.*\bdefault\b)[^,]*\bnot null\b/,
    reason:
      'adds a column that is not null and has no default: a process of the release before writes none',
  },
  {
    pattern:
      /\badd( column)?( if not exists)? \w+ [^,]*\bdefault (gen_random_uuid|random|clock_timestamp)\(/,
    reason: 'gives each row a value of its own, which writes the whole table anew under a lock',
  },
  {
    pattern: /\balter table\b.* add (constraint|check|unique|primary key|foreign key|exclude)\b/,
    reason:
      'adds a constraint to a table that is there: what a process of the release before writes may break it',
  },
]

/** The violations of one file. */
export function faultsOf(service: string, name: string, text: string): Fault[] {
  if (Number.parseInt(name, 10) <= (lastWithout[service] ?? 0)) return []
  if (/^-- contract since \d{4}: \S/m.test(text)) return []
  const statements = statementsOf(text)
  const made = new Set(
    statements.flatMap(
      ({ text: each }) => /^create table (?:if not exists )?([\w.]+)/.exec(each)?.[1] ?? [],
    ),
  )
  return statements.flatMap(({ text: each, line }) => {
    const table = /\balter table (?:if exists )?(?:only )?([\w.]+)/.exec(each)?.[1]
    // Nobody else uses it yet.
    if (table !== undefined && made.has(table)) return []
    const found = rules.filter(({ pattern }) => pattern.test(each)).map(({ reason }) => reason)
    const index = lockedBy(each)
    if (index !== undefined && !made.has(index) && bigTables.some((big) => big.test(index)))
      found.push(
        `locks ${index}, which is big, while it makes an index: use "create index concurrently" in a file with the line "-- outside of a transaction"`,
      )
    return [...new Set(found)].map((reason) => ({ line, reason }))
  })
}

const lockedBy = (statement: string) =>
  /^create (?:unique )?index (?!concurrently)(?:if not exists )?(?:\w+ )?on (?:only )?([\w.]+)/.exec(
    statement,
  )?.[1]

/** Without comments, strings and function bodies, whose text only runs later. */
function statementsOf(text: string): Statement[] {
  const blank = (found: string) => found.replaceAll(/[^\n]/g, ' ')
  const bare = text
    .replaceAll(/--.*$/gm, blank)
    .replaceAll(/(\$\w*\$)[^]*?\1/g, blank)
    .replaceAll(/'[^']*'/g, blank)
  let line = 1
  return bare.split(';').flatMap((part) => {
    const from = line + (/^\s*/.exec(part)?.[0].split('\n').length ?? 1) - 1
    line += part.split('\n').length - 1
    const words = part.trim().replaceAll(/\s+/g, ' ').toLowerCase()
    return words === '' ? [] : [{ text: words, line: from }]
  })
}
