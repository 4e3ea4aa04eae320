import { expect, test } from 'vitest'
import type { TemplateContent } from './template-step.rules.ts'
import { scriptOfTemplate, scriptTool, templateOfScript } from './template-script.rules.ts'

const key = '404142434445464748494A4B4C4D4E4F'
const aid = 'D0D1D2D3D4D50101'
const domain = 'A00000015153504101'
const applet = '3f0c5a52-7a1f-4d7e-9c07-7b9b6f3c0a01'

const script = `# first the list
gp --key ${key} --key-ver 30 -l
gp --key ${key} --key-ver 30 --delete ${aid} -f
gp --key-enc ${key} --key-mac ${key} --key-dek ${key} --install wallet.cap --params 01
gp -c ${domain} -a 80CA006600
gp --lock ${key} --new-keyver 31
gp --lock-card
gp --move ${aid} --to ${domain} --install other.cap
gp -s 80F0400F08${aid} -s 80E6020000
gp --pace 1
`

test('each line of a script of gp becomes steps, or says why not', () => {
  const rows = templateOfScript('gp', script, { 'wallet.cap': applet })
  expect(rows.map(({ line, steps }) => [line, ...steps.map(({ kind }) => kind)])).toEqual([
    [2, 'openChannel', 'MplGetStatus'],
    [3, 'MplDelete'],
    [4, 'openChannel', 'installApplet'],
    [5, 'MplSelect', 'MplGetData'],
    [6, 'MplSelect', 'openChannel'],
    [7],
    [8, 'MplInstall'],
    [9, 'MplSetStatus'],
    [10],
  ])
  expect(rows.map(({ line, notes }) => [line, ...notes])).toEqual([
    [2, 'keysLeftOut'],
    [3, 'keysLeftOut', 'channelOpen'],
    [4, 'keysLeftOut'],
    [5],
    [6],
    [7, 'channelOpen'],
    [8, 'channelOpen'],
    [9, 'channelOpen'],
    [10],
  ])
  expect(rows.flatMap(({ line, refused }) => refused.map(({ reason }) => [line, reason]))).toEqual([
    [6, 'keys'],
    [7, 'reserved'],
    [8, 'otherDomain'],
    [9, 'reserved'],
    [10, 'unknown'],
    [10, 'unknown'],
  ])
  const [channel, list] = rows[0]?.steps ?? []
  expect(channel).toEqual({ kind: 'openChannel', values: { level: '03', keyVersion: 0x30 } })
  expect(list).toEqual({ kind: 'MplGetStatus', values: { subset: 'applications' } })
  expect(rows[2]?.steps[1]).toEqual({
    kind: 'installApplet',
    values: { applet, parameters: '01' },
  })
  expect(rows[2]?.files).toEqual(['wallet.cap'])
  // The upload can be chosen later.
  const [unknown] = templateOfScript('gp', 'gp --install wallet.cap')
  expect([unknown?.steps[1]?.values, unknown?.refused]).toEqual([{ applet: '' }, []])
})

test('no key of a script is shown or stored', () => {
  const shell = `open_sc -security 1 -mac_key ${key} -enc_key ${key} -kek_key ${key}
put_sc_key -newkeyver 2 -mac_key ${key} -enc_key ${key} -kek_key ${key}
send_apdu -sc 1 -APDU 80D80081${key}`
  const all = [
    ...templateOfScript('gp', `${script}gp -k ${key} --key=${key} --lock-enc ${key}\n`),
    ...templateOfScript('gpshell', shell),
  ]
  expect(JSON.stringify(all)).not.toContain(key)
  expect(all.at(-3)?.text).toBe('open_sc -security 1 -mac_key •••• -enc_key •••• -kek_key ••••')
  expect(all.at(-1)).toMatchObject({ refused: [{ reason: 'keys', text: 'PUT KEY' }] })
})

test('a script of gpshell is recognised, and its silent lines become nothing', () => {
  const shell = `mode_211\nestablish_context\ncard_connect\nselect -AID ${domain}\nopen_sc -security 3\nget_data -identifier 66\ninstall -pkgAID ${aid} -AID ${aid}01 -sdAID ${domain}\nfly`
  expect([scriptTool(script), scriptTool(shell)]).toEqual(['gp', 'gpshell'])
  const rows = templateOfScript('gpshell', shell)
  expect(rows.map(({ steps }) => steps.map(({ kind }) => kind))).toEqual([
    [],
    [],
    [],
    ['MplSelect'],
    ['openChannel'],
    ['MplGetData'],
    ['MplInstall', 'MplInstall'],
    [],
  ])
  expect(rows.at(-1)?.refused).toEqual([{ reason: 'unknown', text: 'fly' }])
  expect(rows.at(-2)?.steps[1]?.values).toMatchObject({ purpose: 'extradition' })
})

const content: TemplateContent = {
  parameters: [
    { name: 'aid', type: 'aid', default: aid },
    { name: 'pin', type: 'hex', isSecret: true },
  ],
  steps: [
    { kind: 'MplSelect', values: {} },
    { kind: 'openChannel', values: { level: '33', keyVersion: 0x31 } },
    { kind: 'installApplet', values: { applet, instanceAid: '{{aid}}' } },
    { kind: 'MplStoreData', values: { data: '{{pin}}' } },
    { kind: 'MplSetStatus', values: { target: 'lock', aid: '{{aid}}' } },
    { kind: 'MplDelete', values: { target: 'object', aid: '{{aid}}', withRelated: true } },
    { kind: 'deleteApplet', values: { applet: '' } },
    { kind: 'MplGetData', values: { tag: '66' } },
  ],
}
const applets = { [applet]: { fileName: 'wallet.cap', packageAid: 'D0D1D2D3D4D5' } }

test('a template becomes a script of each tool, with a list of what is missing', () => {
  const gp = scriptOfTemplate('gp', content, applets)
  expect(gp.text).toBe(
    `gp --connect A000000151000000 --mode renc --key-ver 31 --install wallet.cap --create ${aid} ` +
      `--lock-applet ${aid} --delete ${aid} --force --secure-apdu 80CA006600\n`,
  )
  const gaps = [
    { step: 3, reason: 'value', parameter: 'pin' },
    { step: 6, reason: 'applet' },
  ]
  expect(gp.gaps).toEqual(gaps)
  const shell = scriptOfTemplate('gpshell', content, applets)
  expect(shell.gaps).toEqual(gaps)
  expect(shell.text).toContain(`install -file wallet.cap -instAID ${aid}\n`)
  expect(shell.text).toContain(`send_apdu -sc 1 -APDU 80F0408008${aid}\n`)
})

test('a script written from a template is read as the same steps', () => {
  const { text } = scriptOfTemplate('gpshell', content, applets)
  const steps = templateOfScript('gpshell', text, { 'wallet.cap': applet }).flatMap(
    (row) => row.steps,
  )
  expect(steps.map(({ kind }) => kind)).toEqual([
    'MplSelect',
    'openChannel',
    'installApplet',
    'MplSetStatus',
    'MplDelete',
    'MplGetData',
  ])
})

test('bytes without a name become a separate step, unless they contain a PIN, and are exported again', () => {
  const steps = (tool: 'gp' | 'gpshell', text: string) =>
    templateOfScript(tool, text).flatMap((row) => row.steps)
  expect(steps('gp', `gp --secure-apdu 80AA010203112233`)).toEqual([
    { kind: 'openChannel', values: { level: '03' } },
    { kind: 'raw', values: { command: '80AA010203112233' } },
  ])
  const shell =
    'open_sc -security 3\nsend_apdu -sc 1 -APDU 00B2010C00\nsend_apdu -sc 0 -APDU 80AA010200'
  const read = steps('gpshell', shell)
  expect(read.slice(1)).toEqual([
    { kind: 'raw', values: { command: '00B2010C00' } },
    { kind: 'raw', values: { command: '80AA010200', isPlain: true } },
  ])
  const { text } = scriptOfTemplate('gpshell', { parameters: [], steps: read }, {})
  expect(text).toContain('send_apdu -sc 1 -APDU 00B2010C00\nsend_apdu -sc 0 -APDU 80AA010200\n')
  const [pin] = templateOfScript('gp', 'gp --apdu 002000800831323334FFFFFFFF')
  expect(pin).toMatchObject({ steps: [], refused: [{ reason: 'secret', text: '00200080' }] })
  expect(JSON.stringify(pin)).not.toContain('31323334')
})
