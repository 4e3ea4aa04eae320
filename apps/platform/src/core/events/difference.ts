type Fields = Record<string, unknown>

/**
 * The difference between two states of a subject: fields of objects, locales of translation lists.
 * Otherwise saving one text would write all texts twice.
 */
export function difference(before: unknown, after: unknown): [before: unknown, after: unknown] {
  if (isFields(before) && isFields(after)) return ofFields(before, after)
  if (isTranslations(before) && isTranslations(after)) return ofTranslations(before, after)
  return [before, after]
}

// So that a reader need not look up what changed.
const identity = new Set(['id', 'name', 'localeCode'])

function ofFields(before: Fields, after: Fields): [Fields, Fields] {
  const pairs = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => identity.has(name) || !isEqual(before[name], after[name]))
    .map((name) => [name, difference(before[name], after[name])] as const)
  const side = (index: 0 | 1, of: Fields) =>
    Object.fromEntries(
      pairs.filter(([name]) => name in of).map(([name, values]) => [name, values[index]]),
    )
  return [side(0, before), side(1, after)]
}

interface Translation extends Fields {
  localeCode: string
}

function ofTranslations(
  before: Translation[],
  after: Translation[],
): [Translation[], Translation[]] {
  const side = (of: Translation[], others: Translation[], isBefore: boolean) =>
    of.flatMap((own) => {
      const other = others.find(({ localeCode }) => localeCode === own.localeCode)
      if (!other) return [own]
      const changed = isBefore ? ofFields(own, other)[0] : ofFields(other, own)[1]
      return isEqual(own, other) ? [] : [{ ...changed, localeCode: own.localeCode }]
    })
  return [side(before, after, true), side(after, before, false)]
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('toJSON' in value)

const isTranslations = (value: unknown): value is Translation[] =>
  Array.isArray(value) &&
  value.every((item) => isFields(item) && typeof item['localeCode'] === 'string')
