import { expect, test } from 'vitest'
import { readGpScript, writeGpScript } from './gp-script.ts'
import { readGpshellScript, writeGpshellScript } from './gpshell-script.ts'

const key = '404142434445464748494A4B4C4D4E4F'
const aid = 'D0D1D2D3D4D50101'
const domainAid = 'A00000015153504101'

// Options of martinpaljak/GlobalPlatformPro 236a610, and lines like those of its tests/sce70.sh.
const lines = `
# a comment
gp -l
java -jar gp.jar --key ${key} --mode enc --install "my applet.cap" --params 0102 --privs CardLock,CardReset
gp -c ${domainAid} --key-ver 30 --key-enc ${key} --key-mac ${key} --key-dek ${'00'.repeat(16)} \\
  --delete ${aid.toLowerCase()} -f -d
gp --domain ${domainAid} --privs DelegatedManagement
gp --lock ${key} --new-keyver 0x31
gp -a 80CA9F7F00 -s 80F28002024F00 -s 80F24002024F00
gp --lock-applet ${aid} --store-data 9F660102
gp --move ${aid} --to ${domainAid}
`
const one = { enc: key, mac: key, dek: key }
const steps = [
  { kind: 'open' },
  { kind: 'list' },
  { kind: 'open', level: 0x03, keys: one },
  {
    kind: 'install',
    file: 'my applet.cap',
    privileges: ['cardLock', 'cardReset'],
    parameters: '0102',
  },
  { kind: 'select', aid: domainAid },
  { kind: 'open', keyVersion: 0x30, keys: { ...one, dek: '00'.repeat(16) } },
  { kind: 'delete', aid, withRelated: true },
  { kind: 'open' },
  { kind: 'makeDomain', aid: domainAid, privileges: ['securityDomain', 'delegatedManagement'] },
  { kind: 'open' },
  { kind: 'putKeys', keys: one, version: 0x31 },
  { kind: 'apdu', hex: '80CA9F7F00', isSecured: false },
  { kind: 'open' },
  { kind: 'apdu', hex: '80F28002024F00', isSecured: true },
  { kind: 'apdu', hex: '80F24002024F00', isSecured: true },
  { kind: 'open' },
  { kind: 'lock', aid, isLocked: true },
  { kind: 'storeData', data: '9F660102' },
  { kind: 'open' },
  { kind: 'move', aid, domainAid },
]

test('command lines of gp become steps', () => {
  const read = readGpScript(lines)
  expect(read).toMatchObject({ steps, problems: [] })
  // A command continued after a backslash counts as being on its first line.
  expect([...new Set(read.lines)]).toEqual([3, 4, 5, 7, 8, 9, 10, 11])
  expect(read.lines).toHaveLength(steps.length)
})

test('steps written for gp read as the same steps', () => {
  const text = writeGpScript(readGpScript(lines).steps)
  expect(text).toContain(`--install 'my applet.cap' --privs CardLock,CardReset --params 0102`)
  // Actions in a domain are in the line that connects to it.
  expect(text).toMatch(new RegExp(`^gp --connect ${domainAid} .*--delete ${aid} --force$`, 'm'))
  expect(readGpScript(text).steps.filter(({ kind }) => kind !== 'apdu')).toEqual(
    steps.filter(({ kind }) => kind !== 'apdu'),
  )
})

test('what gp has and the steps have not is named with its line', () => {
  const text = `gp --pace ${aid} -l\ngp --delete 12\ngp --privs Nothing --install a.cap\nlist\ngp --load`
  const { steps: read, problems } = readGpScript(text)
  expect(problems).toEqual([
    { line: 1, text: '--pace', reason: 'unknown' },
    { line: 1, text: aid, reason: 'unknown' },
    { line: 2, text: '--delete 12', reason: 'wrongValue' },
    { line: 3, text: '--privs Nothing', reason: 'wrongValue' },
    { line: 4, text: 'list', reason: 'unknown' },
    { line: 5, text: '--load', reason: 'missing' },
  ])
  expect(read.map(({ kind }) => kind)).toEqual(['open', 'list', 'open', 'install'])
})

// Commands from kaoh/globalplatform 8dd2f1b, gpshell.1.md, in the order of its examples.
const shell = `
mode_211
enable_trace
establish_context
card_connect
select -AID a000000003000000
open_sc -security 3 -keyind 0 -keyver 0 -mac_key ${key} -enc_key ${key} // Open
delete -AID D0D1D2D3D4D50101
install -file helloworld.cap -nvDataLimit 2000 -instParam 00 -priv 4
put_sc_key -keyver 1 -newkeyver 2 -mac_key ${key} -enc_key ${key} -kek_key ${key}
get_status -element 40
send_apdu -sc 0 -APDU 80CA00CF00
get_card_recognition_data
fly
delete
card_disconnect
`

test('a script of gpshell becomes steps, and back', () => {
  const { steps: read, lines: at, problems } = readGpshellScript(shell)
  expect(at).toEqual([6, 7, 8, 9, 10, 11, 12, 13])
  expect(read).toEqual([
    { kind: 'select', aid: 'A000000003000000' },
    { kind: 'open', level: 3, keys: one },
    { kind: 'delete', aid, withRelated: true },
    { kind: 'install', file: 'helloworld.cap', privileges: ['cardReset'], parameters: '00' },
    { kind: 'putKeys', keys: one, version: 2, replaces: 1 },
    { kind: 'list' },
    { kind: 'apdu', hex: '80CA00CF00', isSecured: false },
    { kind: 'getData', tag: '66' },
  ])
  expect(problems).toEqual([
    { line: 14, text: 'fly', reason: 'unknown' },
    { line: 15, text: 'delete', reason: 'missing' },
  ])
  const written = writeGpshellScript(read)
  expect(written.left).toEqual([])
  expect(readGpshellScript(written.text)).toMatchObject({ steps: read, problems: [] })
  expect(writeGpshellScript([{ kind: 'cardState', state: 'secured' }]).left).toEqual(['cardState'])
})
