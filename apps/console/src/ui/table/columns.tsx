import type { ComponentType, ReactNode } from 'react'
import { DateText, LongestRelativeDates } from '../i18n/date-text.tsx'
import { RowLink } from './row-link.tsx'
import type { DataColumn } from './types.ts'

type Rest = Omit<DataColumn<never>, 'id' | 'header' | 'cell' | 'sample'>

/** A column that says how long ago something happened, and sorts newest first. */
export const momentColumn = <Name extends string>(
  id: Name,
  header: string,
  rest: Rest = {},
): DataColumn<Record<Name, string | null>> => ({
  firstOrder: 'desc',
  ...rest,
  id,
  header,
  sample: <LongestRelativeDates />,
  cell: (row) => <DateText value={row[id]} isRelative />,
})

/** A column of states. The props of the badge are picked from the row; the samples cover every state. */
export const stateColumn = <Props extends object>(
  header: string,
  Badge: ComponentType<Props>,
  samples: readonly NoInfer<Props>[],
): DataColumn<Props> => ({
  id: 'state',
  header,
  phone: 'state',
  // oxlint-disable-next-line react/no-array-index-key -- they never change
  sample: samples.map((sample, index) => <Badge key={index} {...sample} />),
  cell: (row) => <Badge {...row} />,
})

interface NameColumn<Row> {
  id: string
  header: string
  text: (row: Row) => string
  /** The full name, if it differs from the text. */
  title?: (row: Row) => string
  /** By default the text. */
  content?: (row: Row) => ReactNode
}

/** The column that names a row, as a link that opens the row's panel. */
export const nameColumn = <Row extends { id: string | number }>(
  list: { opened: (id: string) => object },
  { id, header, text, title = text, content }: NameColumn<Row>,
): DataColumn<Row> => ({
  id,
  header,
  isPrimary: true,
  cell: (row) => (
    <RowLink open={list.opened(String(row.id))} title={title(row)}>
      {content?.(row) ?? <bdi>{text(row)}</bdi>}
    </RowLink>
  ),
})
