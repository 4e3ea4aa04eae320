import { execFile } from 'node:child_process'
import { createCipheriv } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { runScript } from '../testing/run-script.ts'
import { hasSoftHsm, startSoftHsm, type SoftHsm } from '../testing/soft-hsm.ts'
import type { HsmKey, HsmRole } from './hsm-messages.ts'
import { readHsmSettings } from './hsm-settings.ts'
import { hsmLimits, openHsmToken } from './hsm-token.ts'

const run = promisify(execFile)
const needs = '(needs softhsm2)'
const hasTool = existsSync('/usr/bin/pkcs11-tool')
const identifier = new Uint8Array(32).fill(7)
const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
const hexOf = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex')

let hsm: SoftHsm
beforeAll(async () => {
  if (hasSoftHsm) hsm = await startSoftHsm()
})
afterAll(() => hsm?.close())

const opened: ReturnType<typeof openHsmToken>[] = []
afterEach(() => {
  for (const token of opened.splice(0)) token.close()
})

function open(env: Record<string, string> = {}, limits = { ...hsmLimits, checkMs: 0 }) {
  const settings = readHsmSettings({ ...hsm.env, ...env })
  if (!settings) throw new Error('an HSM is set')
  const token = openHsmToken(settings, limits)
  opened.push(token)
  return token
}

const keyOf = (label: string, role: HsmRole): HsmKey => ({ label, identifier, role })
const sameKeys = (key: string) => ({ enc: hex(key), mac: hex(key), dek: hex(key) })

// RFC 4493, 4, and NIST SP 800-38B, D.3.
const message = '6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411'
const aes = '2b7e151628aed2a6abf7158809cf4f3c'

describe.runIf(hasSoftHsm)('a token', () => {
  test(`signs and encrypts like the published vectors ${needs}`, async () => {
    const token = open()
    await token.create({ label: 'aes', identifier, algorithm: 'AES', keys: sameKeys(aes) })
    const macs = await token.sign(keyOf('aes', 'mac'), [hex(message.slice(0, 32)), hex(message)])
    expect(macs.map(hexOf)).toEqual([
      '070a16b46b4d4144f79bdd9dd04a287c',
      'dfa66747de9ae63030ca32611497c827',
    ])
    // NIST SP 800-38A, F.1.1: CBC of one block after a zero block equals ECB.
    const [block] = await token.encrypt('AES', keyOf('aes', 'dek'), [hex(message.slice(0, 32))])
    expect(hexOf(block)).toBe('3ad77bb40d7a3660a89ecaf32466ef97')
  })

  test.each([
    ['00112233445566778899aabbccddeeff', 'two'],
    ['00112233445566778899aabbccddeeff0123456789abcdef', 'three'],
  ])(`derives a triple DES key of a key %s inside ${needs}`, async (key, label) => {
    const token = open()
    await token.create({ label, identifier, algorithm: 'DES', keys: sameKeys(key) })
    const derivation = hex('01810007000000000000000000000000')
    const data = hex('404142434445464748494a4b4c4d4e4f')
    const full = key.length === 32 ? key + key.slice(0, 16) : key
    const des = (name: string, given: string, bytes: Uint8Array) =>
      createCipheriv(name, Buffer.from(given, 'hex'), name.endsWith('cbc') ? Buffer.alloc(8) : null)
        .setAutoPadding(false)
        .update(bytes)
        .toString('hex')
    const session = des('des-ede3-cbc', full, derivation)
    const [made] = await token.encrypt('DES', keyOf(label, 'enc'), [derivation])
    expect(hexOf(made)).toBe(session)
    const [encrypted] = await token.encryptDerived(keyOf(label, 'dek'), derivation, [data])
    expect(hexOf(encrypted)).toBe(des('des-ede3', session + session.slice(0, 16), data))
  })

  test.runIf(hasTool)(
    'does not reveal any key to a tool that has the PIN (needs softhsm2, opensc)',
    async () => {
      const token = open()
      await token.create({ label: 'hidden', identifier, algorithm: 'AES', keys: sameKeys(aes) })
      const given = ['--module', hsm.env['PKCS11_MODULE'] ?? '', '--login', '--pin', hsm.pin]
      const tool = (...more: string[]) =>
        run('pkcs11-tool', [...given, ...more], { env: hsm.env }).catch((error: object) => error)
      const listed = JSON.stringify(await tool('--list-objects', '--type', 'secrkey'))
      expect(listed).toContain('hidden enc')
      expect(listed).toMatch(/never extractable|sensitive/)
      const read = ['--read-object', '--type', 'secrkey', '--label', 'hidden enc']
      expect(JSON.stringify(await tool(...read)).toLowerCase()).not.toContain(aes)
    },
  )

  test(`keys created with different attributes, or destroyed, are not found ${needs}`, async () => {
    const token = open()
    await token.create({ label: 'own', identifier, algorithm: 'AES', keys: sameKeys(aes) })
    const other = { ...keyOf('own', 'mac'), identifier: new Uint8Array(32).fill(8) }
    const missing = { code: 'hsm_key_missing' }
    await expect(token.sign(other, [new Uint8Array(16)])).rejects.toMatchObject(missing)
    await token.destroy('own')
    await expect(token.sign(keyOf('own', 'mac'), [new Uint8Array(16)])).rejects.toMatchObject(
      missing,
    )
  })

  test(`keys that another process destroyed are not found ${needs}`, async () => {
    const [token, other] = [open(), open()]
    await token.create({ label: 'shared', identifier, algorithm: 'AES', keys: sameKeys(aes) })
    const signing = () => token.sign(keyOf('shared', 'mac'), [hex(message.slice(0, 32))])
    expect(await signing()).toHaveLength(1)
    await other.destroy('shared')
    await expect(signing()).rejects.toMatchObject({ code: 'hsm_key_missing' })
    await other.create({ label: 'shared', identifier, algorithm: 'AES', keys: sameKeys(aes) })
    expect((await signing()).map(hexOf)).toEqual(['070a16b46b4d4144f79bdd9dd04a287c'])
  })

  test(`a key can only be used for its purpose ${needs}`, async () => {
    const token = open()
    await token.create({ label: 'purpose', identifier, algorithm: 'AES', keys: sameKeys(aes) })
    await expect(
      token.encrypt('AES', keyOf('purpose', 'mac'), [new Uint8Array(16)]),
    ).rejects.toMatchObject({ code: 'hsm_unavailable' })
    await expect(token.sign(keyOf('purpose', 'dek'), [new Uint8Array(16)])).rejects.toMatchObject({
      code: 'hsm_unavailable',
    })
  })

  test(`creating keys again under a label replaces what a run left ${needs}`, async () => {
    const token = open()
    const set = { label: 'again', identifier, algorithm: 'AES' as const }
    await token.create({ ...set, keys: sameKeys('00'.repeat(16)) })
    await token.create({ ...set, keys: sameKeys(aes) })
    const [mac] = await token.sign(keyOf('again', 'mac'), [hex(message.slice(0, 32))])
    expect(hexOf(mac)).toBe('070a16b46b4d4144f79bdd9dd04a287c')
  })

  test(`a killed module is restarted within the same call ${needs}`, async () => {
    const token = open()
    await token.create({ label: 'killed', identifier, algorithm: 'AES', keys: sameKeys(aes) })
    const before = await token.pid()
    process.kill(before ?? 0, 'SIGKILL')
    const signing = () => token.sign(keyOf('killed', 'mac'), [hex(message.slice(0, 32))])
    const answers = await Promise.all([signing(), signing(), signing()])
    expect(answers.map(([mac]) => hexOf(mac))).toEqual(
      Array(3).fill('070a16b46b4d4144f79bdd9dd04a287c'),
    )
    expect(await token.pid()).not.toBe(before)
  })

  test(`a module stays loaded after garbage collection ${needs}`, async () => {
    const script = new URL('./testing/collect-and-call.ts', import.meta.url)
    const { SOFTHSM2_CONF: before } = process.env
    process.env['SOFTHSM2_CONF'] = hsm.env['SOFTHSM2_CONF']
    const { lines, exited } = runScript(script, hsm.env['PKCS11_MODULE'] ?? '')
    if (before === undefined) delete process.env['SOFTHSM2_CONF']
    expect(await exited).toBe(0)
    expect(lines.join()).toContain('grove')
  })

  test(`a module that hangs is terminated, and the next call works ${needs}`, async () => {
    const token = open({}, { ...hsmLimits, answerMs: 1500, checkMs: 0 })
    const pid = await token.pid()
    process.kill(pid ?? 0, 'SIGSTOP')
    expect(await token.check()).toMatchObject({
      code: 'hsm_unavailable',
      message: expect.stringContaining('did not answer in time'),
    })
    expect(await token.check()).toBeNull()
    expect(await token.pid()).not.toBe(pid)
  })

  test(`a wrong PIN is tried only once, until another one is set ${needs}`, async () => {
    const file = join(hsm.folder, 'pin')
    await writeFile(file, '0000\n')
    const { PKCS11_PIN: _pin, ...env } = hsm.env
    const settings = readHsmSettings({ ...env, PKCS11_PIN_FILE: file })
    if (!settings) throw new Error('an HSM is set')
    const token = openHsmToken(settings, { ...hsmLimits, checkMs: 0 })
    opened.push(token)
    const refused = await token.check()
    expect(refused).toMatchObject({ code: 'hsm_pin_refused' })
    expect(refused?.message).not.toContain('0000')
    // The same answer, without a process that logs in.
    expect(await token.check()).toBe(refused)
    await writeFile(file, `${hsm.pin}\n`)
    expect(await token.check()).toBeNull()
  })

  test(`says which token is missing, and finds it once it is back ${needs}`, async () => {
    const token = open({}, { ...hsmLimits, checkMs: 0 })
    const tokens = join(hsm.folder, 'tokens')
    await rename(tokens, `${tokens}-away`)
    try {
      expect(await token.check()).toMatchObject({ code: 'hsm_unavailable' })
    } finally {
      await rename(`${tokens}-away`, tokens)
    }
    expect(await token.check()).toBeNull()
    expect(await open({ PKCS11_TOKEN: 'another' }).check()).toMatchObject({
      code: 'hsm_unavailable',
      message: expect.stringContaining('PKCS11_TOKEN'),
    })
  })

  test(`a file that is not a library is one problem ${needs}`, async () => {
    const file = join(hsm.folder, 'none.so')
    await writeFile(file, 'no library')
    expect(await open({ PKCS11_MODULE: file }).check()).toMatchObject({
      code: 'hsm_unavailable',
      message: expect.stringContaining('PKCS11_MODULE'),
    })
  })
})
