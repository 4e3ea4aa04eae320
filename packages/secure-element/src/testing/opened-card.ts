import { encodeCommand, parseResponse, type Command } from '../apdu.ts'
import { readHex, toHex } from '../bytes.ts'
import { readCapFile } from '../cap/cap-file.ts'
import type { SoftwareCard } from '../card/software-card.ts'
import { select } from '../host/commands.ts'
import { installForInstall, type InstallForInstall } from '../host/install.ts'
import { loadPackage, run } from '../host/run.ts'
import type { SecureChannel } from '../secure-channel/channel.ts'
import { staticKeys } from '../secure-channel/key-source.ts'
import { openSecureChannel } from '../secure-channel/open-channel.ts'
import type { SecurityLevel } from '../secure-channel/security-level.ts'
import { archive, components } from './cap-archive.ts'

export const standardKey = readHex('404142434445464748494A4B4C4D4E4F')
export const otherKey = readHex('00112233445566778899AABBCCDDEEFF')

interface Opening {
  /** Selects this domain first. */
  aid?: string
  level?: SecurityLevel
  value?: Uint8Array
  keyVersion?: number
}

export const plain = async (card: SoftwareCard, command: Command) =>
  parseResponse(await card.transmit(encodeCommand(command)))

/** The status word of a plain command in hex. */
export const word = async (card: SoftwareCard, hex: string) =>
  toHex((await card.transmit(readHex(hex))).slice(-2))

/** A channel to the selected domain, or to another one. */
export async function open(
  card: SoftwareCard,
  { aid, level = 0x03, value = standardKey, keyVersion = 0 }: Opening = {},
): Promise<SecureChannel> {
  if (aid !== undefined) await plain(card, select({ aid }))
  const keys = staticKeys({ enc: value, mac: value, dek: value })
  return openSecureChannel(card, { keys, level, keyVersion, scp02Implementation: 0x55 })
}

/** A package with one applet, and an instance of it. */
export const file = readCapFile(archive(components()))
export const appletAid = '0102030405060708'
export const packageOf = { loadFileAid: file.aid, code: file.code }
export const instance = { loadFileAid: file.aid, moduleAid: appletAid, instanceAid: appletAid }

export async function installApplet(channel: SecureChannel): Promise<void> {
  await loadPackage(channel, packageOf)
  await run(channel.send, installForInstall(instance))
}

export const domainAid = 'A00000015153504101'

/** INSTALL of a supplementary domain. */
export const newDomain = (more: Partial<InstallForInstall> = {}): Command =>
  installForInstall({
    loadFileAid: 'A0000001515350',
    moduleAid: 'A000000151535041',
    instanceAid: domainAid,
    privileges: ['securityDomain'],
    ...more,
  })
