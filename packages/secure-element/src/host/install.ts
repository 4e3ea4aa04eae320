import type { Command } from '../apdu.ts'
import { concat } from '../bytes.ts'
import { DecodeError } from '../decode-error.ts'
import { encodePrivileges, type PrivilegeName } from '../privileges.ts'
import { encodeTlv, type TlvInput } from '../tlv.ts'
import { aidField, command, field } from './fields.ts'

const ins = 0xe6

/** Purposes of INSTALL: P1 (GlobalPlatform Card Specification 2.3.1, table 11-41). */
const purposes = {
  load: 0x02,
  install: 0x04,
  makeSelectable: 0x08,
  extradition: 0x10,
  personalization: 0x20,
  registryUpdate: 0x40,
} as const

/** Load, install and make selectable combined: P2 says whether a command is the first or the last. */
const combined = { p1: 0x0e, first: 0x01, last: 0x03 } as const

interface Common {
  /** Install parameters, as encoded by `installParameters` and `loadParameters`. */
  parameters?: Uint8Array
  /** A delegated management token. */
  token?: Uint8Array
}

/** Reserved or allowed memory, in bytes. */
export interface Memory {
  volatile?: number
  nonVolatile?: number
}

function quota(tag: string, value: number | undefined): TlvInput[] {
  if (value === undefined) return []
  if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff)
    throw new DecodeError('wrongValue', 0, { expected: '0–4294967295', found: `${value}` })
  // Some cards read two bytes as a signed number.
  const size = value > 0x7fff ? 4 : 2
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return [{ tag, value: bytes.slice(4 - size) }]
}

const system = (objects: TlvInput[]): TlvInput[] =>
  objects.length === 0 ? [] : [{ tag: 'EF', value: objects }]

/** Parameters of INSTALL [for load]: empty without a size. */
export const loadParameters = ({ code, volatile, nonVolatile }: Memory & { code?: number }) =>
  encodeTlv(system([...quota('C6', code), ...quota('C7', volatile), ...quota('C8', nonVolatile)]))

/** Parameters of INSTALL [for install]: `C9` with the applet's parameters is mandatory. */
export const installParameters = ({
  application = new Uint8Array(),
  volatile,
  nonVolatile,
}: Memory & { application?: Uint8Array }): Uint8Array =>
  encodeTlv([
    { tag: 'C9', value: application },
    ...system([...quota('C7', volatile), ...quota('C8', nonVolatile)]),
  ])

/** One byte if that is enough, which all cards accept, else three. */
export function privilegeBytes(names: readonly PrivilegeName[]): Uint8Array {
  const bytes = encodePrivileges(names)
  return bytes.subarray(1).every((byte) => byte === 0) ? bytes.slice(0, 1) : bytes
}

const install = (
  p1: number,
  p2: number,
  fields: Uint8Array[],
  { parameters, token }: Common,
): Command => command(ins, p1, p2, concat(...fields, field(parameters), field(token)))

export const installForLoad = ({
  loadFileAid,
  securityDomainAid,
  hash,
  isCombined = false,
  ...common
}: Common & {
  loadFileAid: string
  /** The domain that receives the load file; default: the selected one. */
  securityDomainAid?: string
  hash?: Uint8Array
  isCombined?: boolean
}): Command =>
  install(
    isCombined ? combined.p1 : purposes.load,
    isCombined ? combined.first : 0,
    [aidField(loadFileAid), aidField(securityDomainAid), field(hash)],
    common,
  )

export interface InstallForInstall extends Common {
  loadFileAid: string
  moduleAid: string
  instanceAid: string
  privileges?: readonly PrivilegeName[]
  isSelectable?: boolean
  isCombined?: boolean
}

/** INSTALL [for install], with `isSelectable` also [for make selectable]: the default. */
export function installForInstall({
  loadFileAid,
  moduleAid,
  instanceAid,
  privileges = [],
  isSelectable = true,
  isCombined = false,
  parameters = installParameters({}),
  token,
}: InstallForInstall): Command {
  const purpose = isSelectable ? purposes.install | purposes.makeSelectable : purposes.install
  return install(
    isCombined ? combined.p1 : purpose,
    isCombined ? combined.last : 0,
    [
      aidField(loadFileAid),
      aidField(moduleAid),
      aidField(instanceAid),
      field(privilegeBytes(privileges)),
    ],
    { parameters, ...(token && { token }) },
  )
}

export const installForMakeSelectable = ({
  instanceAid,
  privileges = [],
  ...common
}: Common & { instanceAid: string; privileges?: readonly PrivilegeName[] }): Command =>
  install(
    purposes.makeSelectable,
    0,
    [field(), field(), aidField(instanceAid), field(privilegeBytes(privileges))],
    common,
  )

/** INSTALL [for extradition]: the application or load file moves to another domain. */
export const installForExtradition = ({
  aid,
  securityDomainAid,
  ...common
}: Common & { aid: string; securityDomainAid: string }): Command =>
  install(
    purposes.extradition,
    0,
    [aidField(securityDomainAid), field(), aidField(aid), field()],
    common,
  )

/** INSTALL [for registry update]: another domain, or other privileges. */
export const installForRegistryUpdate = ({
  aid,
  securityDomainAid,
  privileges,
  ...common
}: Common & {
  aid: string
  securityDomainAid?: string
  privileges?: readonly PrivilegeName[]
}): Command =>
  install(
    purposes.registryUpdate,
    0,
    [
      aidField(securityDomainAid),
      field(),
      aidField(aid),
      field(privileges && privilegeBytes(privileges)),
    ],
    common,
  )

/** INSTALL [for personalization]: the following STORE DATA goes to this application. */
export const installForPersonalization = ({ aid }: { aid: string }): Command =>
  install(purposes.personalization, 0, [field(), field(), aidField(aid), field()], {})
