import type { Command } from '../apdu.ts'
import { byteAt } from '../bytes.ts'
import { parseTlv } from '../tlv.ts'
import type { CardState } from './card-state.ts'
import {
  applicationOf,
  domainData,
  dropCertificates,
  hasPrivilege,
  isBelow,
  manages,
  opensChannel,
} from './domains.ts'
import { isDelegated, receiptFor } from './delegation.ts'
import { aidOf, noReceipt } from './install-fields.ts'
import { refuse } from './refusal.ts'
import type { CardContext } from './volatile.ts'

/** DELETE of an application, a domain, a load file, or keys of the selected domain. */
export function deleteObjects(context: CardContext, command: Command): Uint8Array {
  const { p1, p2, data } = command
  if (p1 !== 0 || (p2 !== 0x00 && p2 !== 0x80)) return refuse('wrongParameters')
  const nodes = parseTlv(data)
  const objects = new Map(nodes.map(({ tag, valueFrom, to }) => [tag, data.slice(valueFrom, to)]))
  const name = objects.get('4F')
  const token = objects.get('9E')
  if (name && token) {
    const from = nodes.find(({ tag }) => tag === '9E')?.from ?? data.length
    isDelegated(context, command, data.slice(0, from), token)
    const aid = aidOf(name)
    deleteByAid(context, aid, p2 === 0x80, true)
    return receiptFor(context, { kind: 'delete', aid })
  }
  if (token) return refuse('unsupportedFunction')
  if (name) return deleteByAid(context, aidOf(name), p2 === 0x80, false)
  const id = objects.get('D0')
  const version = objects.get('D2')
  return id || version ? deleteKeys(context, id, version) : refuse('wrongData')
}

interface Doomed {
  applications: Set<string>
  loadFiles: Set<string>
}

/** Everything deleted along with an application, a domain or a load file. */
function doomed(state: CardState, aid: string): Doomed {
  const { applications, loadFiles } = state
  if (!applicationOf(state, aid)) {
    const instances = applications.filter(({ loadFileAid }) => loadFileAid === aid)
    return { applications: new Set(instances.map((each) => each.aid)), loadFiles: new Set([aid]) }
  }
  const below = applications.filter((each) => isBelow(state, each.aid, aid))
  const domains = new Set([aid, ...below.map((each) => each.aid)])
  const files = loadFiles.filter(({ domainAid }) => domains.has(domainAid))
  return { applications: domains, loadFiles: new Set(files.map((each) => each.aid)) }
}

function deleteByAid(
  { state, session, elsewhere, write }: CardContext,
  aid: string,
  withRelated: boolean,
  hasToken: boolean,
) {
  const application = applicationOf(state, aid)
  const file = state.loadFiles.find((each) => each.aid === aid)
  if (aid === state.issuerAid || file?.isFactory) return refuse('notNow')
  if (!application && !file) return refuse('missingReference')
  const { selected } = session
  const isOwn = file
    ? file.domainAid === selected || manages(state, selected, file.domainAid)
    : manages(state, selected, aid)
  const mayManage = isOwn && (hasToken || hasPrivilege(state, selected, 'authorizedManagement'))
  if (!mayManage && !hasPrivilege(state, selected, 'globalDelete')) return refuse('notNow')
  const all = doomed(state, aid)
  // The selected domain and its parents stay, and so does whatever other logical channels have
  // selected.
  if ([session, ...elsewhere].some((each) => all.applications.has(each.selected)))
    return refuse('notNow')
  if (all.applications.size + all.loadFiles.size > 1 && !withRelated) return refuse('notNow')
  const applications = state.applications.filter((each) => !all.applications.has(each.aid))
  const loadFiles = state.loadFiles.filter((each) => !all.loadFiles.has(each.aid))
  // Whatever stays keeps its load file and the files that it imports.
  const needed = [
    ...applications.map(({ loadFileAid }) => loadFileAid),
    ...applications.map(({ domainAid }) => domainAid),
    ...loadFiles.flatMap(({ imports }) => imports.map((each) => each.aid)),
  ]
  if (needed.some((each) => all.loadFiles.has(each) || all.applications.has(each)))
    return refuse('notNow')
  write((next) => {
    next.applications = applications
    next.loadFiles = loadFiles
  })
  return noReceipt
}

function deleteKeys(
  { state, session, write }: CardContext,
  id: Uint8Array | undefined,
  version: Uint8Array | undefined,
): Uint8Array {
  const { keySets } = domainData(state, session.selected) ?? refuse('notNow')
  const isMeant = (set: number, key: number) =>
    (!version || byteAt(version, 0) === set) && (!id || byteAt(id, 0) === key)
  const left = keySets
    .map((set) => ({ ...set, keys: set.keys.filter((key) => !isMeant(set.version, key.id)) }))
    .filter(({ keys }) => keys.length > 0)
  const count = (sets: CardState['keySets']) => sets.reduce((sum, { keys }) => sum + keys.length, 0)
  if (count(left) === count(keySets)) return refuse('missingReference')
  // Without a complete key set, a channel could never be opened again.
  const isOpening = opensChannel(state)
  if (keySets.some(isOpening) && !left.some(isOpening)) return refuse('notNow')
  write((next) => {
    const domain = domainData(next, session.selected)
    if (!domain) return
    domain.keySets = left
    dropCertificates(domain, (keyId, keyVersion) => isMeant(keyVersion, keyId))
  })
  return noReceipt
}
