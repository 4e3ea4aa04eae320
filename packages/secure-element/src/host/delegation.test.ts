import { expect, test } from 'vitest'
import { deleteKey, deleteObject } from './commands.ts'
import { isTokenCommand, receiptSubject } from './delegation.ts'
import {
  installForExtradition,
  installForInstall,
  installForLoad,
  installForMakeSelectable,
  installForPersonalization,
  installForRegistryUpdate,
} from './install.ts'

const domain = 'A0000001515350410001'
const loadFileAid = 'D27600008501'
const instanceAid = 'D2760000850101'
const install = installForInstall({ loadFileAid, moduleAid: instanceAid, instanceAid })
const at = { domain, loadFileOf: (aid: string) => (aid === instanceAid ? loadFileAid : undefined) }

test.each([
  ['a load', installForLoad({ loadFileAid }), true],
  ['an installation', install, true],
  ['an extradition', installForExtradition({ aid: instanceAid, securityDomainAid: domain }), true],
  ['a registry update', installForRegistryUpdate({ aid: instanceAid }), true],
  ['a deletion', deleteObject({ aid: instanceAid }), true],
  ['a personalization', installForPersonalization({ aid: instanceAid }), false],
  ['the deletion of a key', deleteKey({ id: 1, version: 2 }), false],
])('%s needs a token: %3$s', (_name, command, isNeeded) =>
  expect(isTokenCommand(command)).toBe(isNeeded),
)

test('a receipt names what its command changed', () => {
  expect(receiptSubject(installForLoad({ loadFileAid }), at)).toEqual({
    kind: 'load',
    loadFileAid,
    securityDomainAid: domain,
  })
  const installed = { kind: 'install', loadFileAid, applicationAid: instanceAid }
  expect(receiptSubject(install, at)).toEqual(installed)
  expect(receiptSubject(installForMakeSelectable({ instanceAid }), at)).toEqual(installed)
  expect(receiptSubject(deleteObject({ aid: instanceAid }), at)).toEqual({
    kind: 'delete',
    aid: instanceAid,
  })
  const other = 'A000000151000000'
  expect(
    receiptSubject(installForExtradition({ aid: instanceAid, securityDomainAid: other }), at),
  ).toEqual({ kind: 'extradition', fromDomainAid: domain, aid: instanceAid, toDomainAid: other })
  expect(
    receiptSubject(
      installForRegistryUpdate({ aid: instanceAid, privileges: ['globalService'] }),
      at,
    ),
  ).toEqual({
    kind: 'registryUpdate',
    fromDomainAid: domain,
    aid: instanceAid,
    toDomainAid: '',
    privileges: Uint8Array.of(0x00, 0x01, 0x00),
    parameters: new Uint8Array(),
  })
})

test('an application whose load file is not known has no receipt that can be verified', () => {
  const command = installForMakeSelectable({ instanceAid: 'D2760000850199' })
  expect(receiptSubject(command, at)).toBeUndefined()
})
