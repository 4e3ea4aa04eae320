import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { installPacked } from '../../../../../../../scripts/packed-program.ts'
import { gatewayWorld } from './testing/gateway-world.ts'

test(
  'the agent connects from its installed tarball, alone and as a fleet',
  { timeout: 180_000 },
  async () => {
    const installed = await installPacked('device-agent')
    onTestFinished(() => void installed.remove())
    expect(await installed.files()).toEqual([
      'LICENSE',
      'README.md',
      'dist/main.js',
      'package.json',
    ])
    for (const [args, begins] of [
      [['--help'], 'grove-device --platform URL'],
      [['fleet', '--help'], 'grove-device fleet --platform URL'],
      [['check', '--help'], 'grove-device check URL CODE'],
    ] as const)
      expect((await installed.run('grove-device', [...args])).stdout).toContain(begins)

    const world = await gatewayWorld()
    onTestFinished(() => world.close())
    const { body } = await world.ask('POST', 'device/claim_code', {
      name: 'Batch',
      type: 'iot',
      state: 'accepted',
      mostUses: 2,
    })
    const start = (args: string[]) => {
      const platform = ['--platform', `http://${world.address}`, '--code', `${body.code}`]
      const agent = installed.start('grove-device', [...args, ...platform])
      const ended = once(agent, 'close')
      onTestFinished(async () => {
        agent.kill()
        await ended
      })
    }
    start(['--id', 'packed-1'])
    start(['fleet', '--count', '1', '--prefix', 'packed-fleet'])
    for (const id of ['packed-1', 'packed-fleet-00001'])
      await vi.waitFor(async () => expect(await world.stateOf(id)).toBe('online'), {
        timeout: 60_000,
        interval: 100,
      })
  },
)
