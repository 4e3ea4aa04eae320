import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'

export type Resolve = (host: string) => Promise<readonly string[]>

export interface ResolverSettings {
  /** `address` or `address:port`; default: the system's. */
  servers?: readonly string[]
  /** The system's static configuration. */
  hostsFile?: string
  /** The search domains for a name without a dot. */
  resolverFile?: string
  /** Time limit for the whole answer. */
  deadlineMs?: number
}

const isWindows = process.platform === 'win32'
const systemHosts = isWindows
  ? `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\drivers\\etc\\hosts`
  : '/etc/hosts'
const defaults = { hostsFile: systemHosts, resolverFile: '/etc/resolv.conf', deadlineMs: 5000 }

/** How long a file's contents are cached without checking. */
const fileMs = 5000

/**
 * Resolves names without `dns.lookup`, whose two threads are shared by the whole process: one silent
 * name server would block everybody's lookups. The hosts file comes first, then DNS; other sources of
 * the system, such as mDNS, are not used.
 */
export function nameResolver(given: ResolverSettings = {}): Resolve {
  const { hostsFile, resolverFile, deadlineMs, servers } = { ...defaults, ...given }
  const resolver = new Resolver({ timeout: Math.ceil(deadlineMs / 3), tries: 2 })
  if (servers) resolver.setServers(servers)
  const hosts = rereadFile(hostsFile, readHosts)
  const domains = rereadFile(resolverFile, readDomains)

  const ask = async (name: string): Promise<string[]> => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    const failed = answers.find((each) => each.status === 'rejected')
    if (found.length === 0 && failed) throw failed.reason
    return found
  }

  const search = async (name: string): Promise<string[]> => {
    const inDomains = name.includes('.') ? [] : await domains()
    for (const domain of inDomains) {
      const found = await ask(`${name}.${domain}`).catch(() => [])
      if (found.length > 0) return found
    }
    return ask(name)
  }

  return async (host) => {
    const name = host.replace(/\.$/, '').toLowerCase()
    const known = (await hosts()).get(name)
    if (known) return known
    // RFC 6761 §6.3: it never leaves the machine.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1']
    return within(deadlineMs, search(name))
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const error = Object.assign(new Error('The servers of names do not answer.'), {
      code: 'ETIMEOUT',
    })
    timer = setTimeout(() => reject(error), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** A file's contents, reread once stale; empty if there is none. */
function rereadFile<T>(path: string, read: (text: string) => T): () => Promise<T> {
  let known: { at: number; value: Promise<T> } | undefined
  return () => {
    if (!known || performance.now() - known.at > fileMs)
      known = {
        at: performance.now(),
        value: readFile(path, 'utf8').then(read, () => read('')),
      }
    return known.value
  }
}

const linesOf = (text: string, comment: RegExp): string[][] =>
  text.split(/\r?\n/).map((line) => line.replace(comment, '').trim().split(/\s+/))

/** hosts(5). */
function readHosts(text: string): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const [address = '', ...own] of linesOf(text, /#.*/))
    for (const name of own.map((each) => each.toLowerCase()))
      names.set(name, [...(names.get(name) ?? []), address])
  return names
}

/** resolv.conf(5): the last such line wins. */
const readDomains = (text: string): string[] =>
  linesOf(text, /^[#;].*/)
    .findLast(([word]) => word === 'search' || word === 'domain')
    ?.slice(1) ?? []
