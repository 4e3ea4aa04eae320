import { expect, test } from 'vitest'
import { encodeCommand } from '@grove/secure-element/apdu'
import { toHex } from '@grove/secure-element/bytes'
import { deleteObject } from '@grove/secure-element/host/commands'
import { installForInstall, installForLoad } from '@grove/secure-element/host/install'
import { commandText } from './command-text.ts'

const [loadFileAid, aid, domain] = ['A00000000101', 'A0000000010101', 'A0000001515350410007']
const textOf = (command: Parameters<typeof encodeCommand>[0]) =>
  commandText(toHex(encodeCommand(command)))

test('a command says what it installs, where, and what it deletes', () => {
  const hash = new Uint8Array(32)
  expect(textOf(installForLoad({ loadFileAid, securityDomainAid: domain, hash }))).toBe(
    `INSTALL [for load] ${loadFileAid} ${domain}`,
  )
  expect(textOf(installForInstall({ loadFileAid, moduleAid: aid, instanceAid: aid }))).toBe(
    `INSTALL [for install and make selectable] ${loadFileAid} ${aid} ${aid}`,
  )
  expect(textOf(deleteObject({ aid }))).toBe(`DELETE ${aid}`)
})

test.each(['', '80', '80E40000030000', '80E40000014F'])('%s is unreadable', (hex) => {
  expect(commandText(hex)).toBeUndefined()
})
