import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openVault } from './vault.ts'
import { newestOf, parseVaultKeys, readVaultKeySource, vaultKeysText } from './vault-keys.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-vault-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const keyOf = (digit: string) => digit.repeat(64)
const secret = Buffer.from('404142434445464748494A4B4C4D4E4F', 'hex')
const vaultOf = (text: string) => openVault({ keys: parseVaultKeys(text, 'a test') })

test('a secret opens only with its own binding', async () => {
  const vault = vaultOf(`1:${keyOf('a')}`)
  const sealed = await vault.seal(secret, 'card 1')
  expect(await vault.open(sealed, 'card 1')).toEqual(secret)
  await expect(vault.open(sealed, 'card 2')).rejects.toMatchObject({ code: 'vault_unavailable' })
  const again = await vault.seal(secret, 'card 1')
  await expect(vault.open({ ...sealed, body: again.body }, 'card 1')).rejects.toMatchObject({
    code: 'vault_unavailable',
  })
  expect(Buffer.concat([sealed.wrappedKey, sealed.body]).includes(secret)).toBe(false)
})

test('rewrapping uses the newest key, changes no secret, and needs no old key afterwards', async () => {
  const sealed = await vaultOf(`1:${keyOf('a')}`).seal(secret, 'card')
  const both = vaultOf(`1:${keyOf('a')},2:${keyOf('b')}`)
  const rewrapped = await both.rewrap(sealed, 'card')
  if (!rewrapped) throw new Error('the key is not the newest')
  expect(rewrapped).toMatchObject({ vaultKey: 2, body: sealed.body })
  expect(await both.rewrap(rewrapped, 'card')).toBeUndefined()
  expect(await vaultOf(`2:${keyOf('b')}`).open(rewrapped, 'card')).toEqual(secret)
  expect(await both.open(sealed, 'card')).toEqual(secret)
})

test('names the vault key that is missing, or that differs', async () => {
  const sealed = await vaultOf(`1:${keyOf('a')}`).seal(secret, 'card')
  await expect(vaultOf(`2:${keyOf('b')}`).open(sealed, 'card')).rejects.toThrow(
    'Vault key 1 is missing',
  )
  await expect(vaultOf(`1:${keyOf('b')}`).open(sealed, 'card')).rejects.toThrow(
    'Vault key 1 does not open these keys',
  )
})

test('creates a file readable by its owner only, once for two processes, and reads an added key', async () => {
  const source = readVaultKeySource({}, folder)
  const [one, other] = [openVault(source), openVault(source)]
  const [sealed] = await Promise.all([one.seal(secret, 'card'), other.seal(secret, 'card')])
  expect(await other.open(sealed, 'card')).toEqual(secret)
  const file = join(folder, 'vault-keys')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const keys = new Map(parseVaultKeys(await readFile(file, 'utf8'), file))
  await writeFile(file, vaultKeysText(keys.set(2, randomBytes(32))))
  expect(await one.seal(secret, 'card')).toMatchObject({ vaultKey: 2 })
  expect(await other.open(sealed, 'card')).toEqual(secret)
})

test('never creates a file named by a setting', async () => {
  const file = join(folder, 'unmounted', 'keys')
  const vault = openVault(readVaultKeySource({ GROVE_VAULT_KEY_FILE: file }, folder))
  await expect(vault.seal(secret, 'card')).rejects.toMatchObject({
    code: 'vault_unavailable',
    message: expect.stringContaining('GROVE_VAULT_KEY_FILE'),
  })
})

test.each([
  ['', 'contains no vault key'],
  ['1:abc', 'in hexadecimal'],
  [keyOf('a'), 'in hexadecimal'],
  [`0:${keyOf('a')}`, 'in hexadecimal'],
  [`1:${keyOf('a')} 1:${keyOf('b')}`, 'same version'],
])('refuses the list "%s", and repeats no key', (text, reason) => {
  const refused = () => parseVaultKeys(text, 'GROVE_VAULT_KEY')
  expect(refused).toThrow(reason)
  expect(refused).not.toThrow(keyOf('a'))
})

test('sorts by version as a number', () => {
  const keys = parseVaultKeys(`9:${keyOf('a')} 10:${keyOf('b')}`, 'a test')
  expect(newestOf(keys)).toBe(10)
  expect(vaultKeysText(keys)).toBe(`10:${keyOf('b')}\n9:${keyOf('a')}\n`)
})

test('a weak key encrypts nothing new', () => {
  const weak = `1:${keyOf('0')}`
  const read = (text: string) => readVaultKeySource({ GROVE_VAULT_KEY: text }, folder)
  expect(() => read(weak)).toThrow('too easy to guess')
  const source = read(`2:${randomBytes(32).toString('hex')},${weak}`)
  expect('keys' in source && [...source.keys.keys()]).toEqual([2, 1])
})

test('accepts only one of the settings', () => {
  const env = { GROVE_VAULT_KEY: `1:${keyOf('a')}`, GROVE_VAULT_KEY_FILE: '/somewhere' }
  expect(() => readVaultKeySource(env, folder)).toThrow('not both')
})
