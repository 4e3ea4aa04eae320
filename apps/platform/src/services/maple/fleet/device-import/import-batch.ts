import { nameKey } from '../../../../core/database/name-key.ts'
import type { GivenDevice } from './read-device.ts'
import type { StoredError } from './row-problem.ts'

/** Rows that are written in one transaction, each column as the text of a PostgreSQL array. */
export interface ImportBatch {
  devices: Record<DeviceColumn, string>
  elements: { row: string; cplc: string }
  /** How many devices and elements that is. */
  count: number
  elementCount: number
  errors: StoredError[]
  wrong: number
  /** Where the file continues: the byte offset, and the row number. */
  at: number
  row: number
  /** Bytes of the file read so far, for the progress. */
  done: number
}

const deviceColumns = [
  'row',
  'id',
  'name',
  'nameKey',
  'type',
  'state',
  'innerId',
  'serviceId',
  'tags',
  'attributes',
] as const
type DeviceColumn = (typeof deviceColumns)[number]

/** Stored errors per batch; all are counted. */
const mostErrors = 1000

/** Gathers rows until they are sent: text that the database reads costs the main thread little. */
export function createBatchBuilder() {
  const empty = () => ({
    devices: Object.fromEntries(deviceColumns.map((name) => [name, [] as string[]])) as Record<
      DeviceColumn,
      string[]
    >,
    elements: { row: [] as string[], cplc: [] as string[] },
    errors: [] as StoredError[],
    wrong: 0,
    rows: 0,
  })
  let batch = empty()
  return {
    /** Rows so far, wrong ones included. */
    size: () => batch.rows,
    add(row: number, device: GivenDevice): void {
      const { devices, elements } = batch
      batch.rows += 1
      devices.row.push(String(row))
      devices.id.push(quoted(device.id))
      devices.name.push(quotedOrNull(device.name))
      devices.nameKey.push(quotedOrNull(device.name === null ? null : nameKey(device.name)))
      devices.type.push(device.type ?? 'NULL')
      devices.state.push(device.state ?? 'NULL')
      devices.innerId.push(quotedOrNull(device.innerId))
      devices.serviceId.push(quotedOrNull(device.serviceId))
      devices.tags.push(device.tags ? quoted(literal(device.tags.map(quoted))) : 'NULL')
      devices.attributes.push(
        device.attributes ? quoted(JSON.stringify(device.attributes)) : 'NULL',
      )
      for (const cplc of device.cplc) {
        elements.row.push(String(row))
        elements.cplc.push(cplc)
      }
    },
    addWrong(errors: readonly StoredError[]): void {
      batch.rows += 1
      batch.wrong += 1
      batch.errors.push(...errors.slice(0, mostErrors - batch.errors.length))
    },
    take(place: Pick<ImportBatch, 'at' | 'row' | 'done'>): ImportBatch {
      const { devices, elements, errors, wrong } = batch
      batch = empty()
      const literals = deviceColumns.map((name) => [name, literal(devices[name])])
      return {
        devices: Object.fromEntries(literals) as Record<DeviceColumn, string>,
        elements: { row: literal(elements.row), cplc: literal(elements.cplc) },
        count: devices.row.length,
        elementCount: elements.row.length,
        errors,
        wrong,
        ...place,
      }
    },
  }
}

const literal = (items: readonly string[]) => `{${items.join(',')}}`
const quoted = (text: string) =>
  `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, String.raw`\$&`) : text}"`
const quotedOrNull = (text: string | null) => (text === null ? 'NULL' : quoted(text))
