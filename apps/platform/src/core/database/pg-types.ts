import { types } from 'pg'

const { builtins } = types
const textArray = types.getTypeParser(1009 as number) as (text: string) => (string | null)[]

const text = (value: string) => value

/** PostgreSQL's ISO text in UTC → RFC 3339 with all six digits; a Date would lose three. */
function timestamp(value: string): string {
  const match = /^(\d{4,})-(\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:\+00)?$/.exec(value)
  if (!match) return value // infinity, or before the year 1
  return `${match[1]}-${match[2]}T${match[3]}.${(match[4] ?? '').padEnd(6, '0')}Z`
}

const scalars = new Map<number, (value: string) => unknown>([
  [builtins.INT8, Number],
  [builtins.TIMESTAMP, timestamp],
  [builtins.TIMESTAMPTZ, timestamp],
  [builtins.DATE, text],
  [builtins.NUMERIC, text],
  [builtins.INTERVAL, text],
])

/** The array type of each scalar above, from `pg_type.typarray`. */
const arrays = new Map<number, (value: string) => unknown>(
  (
    [
      [1016, builtins.INT8],
      [1115, builtins.TIMESTAMP],
      [1185, builtins.TIMESTAMPTZ],
      [1182, builtins.DATE],
      [1231, builtins.NUMERIC],
      [1187, builtins.INTERVAL],
    ] as const
  ).map(([array, scalar]) => {
    const parse = scalars.get(scalar) ?? text
    return [array, (value) => textArray(value).map((item) => (item === null ? null : parse(item)))]
  }),
)

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  const own = format === 'binary' ? undefined : (scalars.get(oid) ?? arrays.get(oid))
  return own ?? types.getTypeParser(oid, format)
}

/** For one pool's `types`: the parsers are the same on both engines and nothing is set globally. */
export const pgTypes = { getTypeParser }
