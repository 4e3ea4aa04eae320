import type { ColumnMapping } from '@grove/contract/maple/fleet/device-import'
import { importFields, type ImportField } from '@grove/contract/maple/fleet/device-import.rules'
import { isAttributeKey, type AttributeType } from '@grove/contract/maple/fleet/device.rules'
import { checkCplc } from '@grove/secure-element/cplc'
import type { InspectedFile, SampleRow } from './inspect-file.ts'
import { attributeOf } from './read-attribute.ts'

/** Names of a field in files, with letters and digits only. */
const names: Record<Exclude<ImportField, 'attribute'>, readonly string[]> = {
  id: ['id', 'deviceid', 'device', 'serial', 'serialnumber', 'sn', 'идентификатор', 'устройство'],
  name: ['name', 'devicename', 'title', 'label', 'имя', 'название', 'наименование'],
  type: ['type', 'devicetype', 'kind', 'тип', 'типустройства'],
  state: ['state', 'status', 'devicestate', 'состояние', 'статус'],
  cplc: ['cplc', 'element', 'elements', 'secureelement', 'se', 'чип', 'элемент'],
  innerId: ['innerid', 'inner', 'wearableid', 'wearable', 'внутреннийid'],
  serviceId: ['serviceid', 'service', 'serviceprovider', 'сервис', 'сервиспровайдер'],
  tags: ['tags', 'tag', 'labels', 'теги', 'тег', 'метки'],
  attributes: ['attributes', 'атрибуты'],
}
/** Informative columns of an export. */
const toldOnly = ['createdat', 'updatedat', 'lastseenat', 'accountid', 'revision']

/** The errors of a row, in a file of failed rows; an import ignores it. */
export const errorsColumn = 'import_errors'
export const isErrorsColumn = (name: string): boolean => name.trim().toLowerCase() === errorsColumn

const fold = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/**
 * A field for each column recognised by name or values; the rest become attributes if their names are
 * valid keys.
 */
export function suggestMapping({ columns, sample }: InspectedFile): ColumnMapping[] {
  const taken = new Set<string>()
  return columns.flatMap((name, column): ColumnMapping[] => {
    if (isErrorsColumn(name)) return []
    const values = valuesOf(sample, column)
    const field = fieldOf(fold(name), values)
    if (field !== undefined && (field === 'cplc' || !taken.has(field))) {
      taken.add(field)
      return [{ column, field }]
    }
    const key = keyOf(name)
    const isAttribute =
      isAttributeKey(key) && !taken.has(`.${key}`) && !toldOnly.includes(fold(name))
    if (!isAttribute) return []
    taken.add(`.${key}`)
    return [{ column, field: 'attribute', key, type: typeOf(values) }]
  })
}

const keyOf = (name: string) =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')

/** What all the first values are. */
function typeOf(values: readonly unknown[]): AttributeType {
  const types = ['number', 'boolean', 'date'] as const
  const found = types.find((type) =>
    values.every((value) => !('code' in attributeOf('a', type, value))),
  )
  return values.length > 0 && found ? found : 'text'
}

function fieldOf(name: string, values: readonly unknown[]): ImportField | undefined {
  const exact = importFields.find((field) => field !== 'attribute' && names[field].includes(name))
  if (exact) return exact
  if (/^(cplc|element)\d+$/.test(name)) return 'cplc'
  const texts = values.filter((value) => typeof value === 'string')
  const areCplcs = texts.length > 0 && texts.every((text) => checkCplc(text).kind === 'complete')
  return areCplcs ? 'cplc' : undefined
}

export const valuesOf = (sample: readonly SampleRow[], column: number): unknown[] =>
  sample.flatMap((each) => {
    const value = 'values' in each ? each.values[column] : undefined
    return value === undefined || value === null || value === '' ? [] : [value]
  })
