import { expect, test } from 'vitest'
import { matchingOptions } from './combobox-options.ts'

const options = [
  { id: '1', label: 'Café Übersee', note: 'a1b2' },
  { id: '2', label: 'Учебный автомат' },
  { id: '3', label: 'Blue Cafe' },
]
const found = (query: string) => matchingOptions(options, query).map(({ id }) => id)

test.each([
  ['', ['1', '2', '3']],
  ['cafe', ['1', '3']],
  ['CAFÉ', ['1', '3']],
  ['cafe uber', ['1']],
  ['A1B', ['1']],
  ['АВТОМАТ', ['2']],
  ['nothing', []],
])('a search for "%s" finds %o', (query, ids) => expect(found(query)).toEqual(ids))
