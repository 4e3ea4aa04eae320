import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { typeScriptFlags } from '../../../../scripts/workspace.mjs'
import { whyNot } from './check.ts'
import { runPrivately } from './private-reader.ts'
import { missingPythonPackages } from './programs.ts'

const reason = whyNot()
const main = fileURLToPath(new URL('../card/main.ts', import.meta.url))
const needs = '(needs pcscd, vsmartcard-vpcd, pcsc-tools, opensc)'

test.skipIf(reason !== undefined).for(['02', '03'])(
  `PC/SC programs accept a software card of SCP%s ${needs}`,
  { timeout: 60_000 },
  async (scp) => {
    const { code, output } = await runPrivately(
      main,
      ['--check', '--scp', scp, '--seed', 'check'],
      {
        isSilent: true,
        flags: typeScriptFlags(),
      },
    )
    expect(output).toMatch(/^ok {4}pcsc_scan lists the ATR 3B8B8131FE458073C00140655653453031D6$/mu)
    expect(output).toMatch(/^ok {4}opensc-tool reads the CPLC 4790[0-9A-F]{80}$/mu)
    expect(output).toMatch(/^ok {4}opensc-tool opens logical channel 1, selects A000000151000000/mu)
    expect(Number(/(\d+) probes answered/u.exec(output)?.[1])).toBeGreaterThanOrEqual(48)
    if (missingPythonPackages().length === 0)
      expect(output).toMatch(/^ok {4}a client in Python .*every reply as expected$/mu)
    expect(code, output).toBe(0)
  },
)
