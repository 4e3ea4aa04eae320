import { setTimeout as pause } from 'node:timers/promises'
import type { Benchmark, Row } from '../benchmark.ts'
import { feelRows } from '../feel.ts'
import { floods } from './floods.ts'
import { openPlace } from './place.ts'

export const feelBeside: Benchmark = {
  name: 'feel-beside',
  title: 'Feel beside a provider that floods',
  how: 'As Feel, with a third of its rounds, while another service provider floods in each of the ways that the part on providers beside one another names; each flood has run for five seconds before.',
  isLong: true,
  run: async (bench) => {
    const fleet = await bench.fleet('postgres')
    const { DATABASE_URL = '', GROVE_DATA = '' } = fleet.env
    const place = await openPlace(bench, { DATABASE_URL, GROVE_DATA })
    const feel = () => feelRows(bench, place.platform.url, bench.isQuick ? 3 : 20)
    bench.say('alone')
    const rows: Row[] = named('alone', await feel())
    for (const [name, begin] of Object.entries(floods(place))) {
      bench.say(name)
      const end = await begin()
      await pause(5000)
      try {
        rows.push(...named(`beside ${name}`, await feel()))
      } finally {
        await end()
      }
    }
    return { rows }
  },
}

const named = (when: string, rows: readonly Row[]): Row[] =>
  rows.map((each) => ({ ...each, name: `${each.name}, ${when}` }))
