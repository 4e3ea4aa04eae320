import { Plus, type LucideIcon } from 'lucide-react'
import type { ComponentType, ReactNode } from 'react'
import { usePrefetch } from '../kit/on-demand.tsx'
import { PageHeader } from '../page/page-header.tsx'
import type { NewItem } from '../panel/create-item.tsx'
import type { OpenItem } from '../panel/item-panel.tsx'
import { EmptyState } from '../text/empty-state.tsx'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { FilterBar } from './filter-bar.tsx'
import type { FilterTexts, List } from './use-list.ts'

type OnDemand<Props> = ComponentType<Props> & { prefetch: () => void }
type Table =
  | 'onOpen'
  | 'rowLabel'
  | 'columns'
  | 'rowActions'
  | 'selectionActions'
  | 'totalText'
  | 'notice'
  | 'hasCards'

export interface ResourceListProps<Row, Filter extends string> extends Pick<
  DataTableProps<Row>,
  Table
> {
  list: List<Row, Filter>
  /** The heading of the page, which also labels the table. */
  title: string
  description: ReactNode
  icon: LucideIcon
  searchLabel: string
  filters: readonly FilterTexts<Filter>[]
  /** Beside the filters. */
  tools?: ReactNode
  /**
   * Shown when there is nothing at all: what belongs here, and the first step, unless it is creating
   * one.
   */
  empty: { title: string; text: ReactNode; hint?: ReactNode; action?: ReactNode }
  /** Between the heading and the table. */
  intro?: ReactNode
  /** The panel of one item; without it, rows open elsewhere. */
  panel?: OnDemand<OpenItem>
  /** The form for a new item, and the label of its button. */
  create?: { label: string; form: OnDemand<NewItem> }
  /** The panel has a form. */
  isEditable?: boolean
}

/** The values of a filter, with their labels and in their order. */
export const optionsOf = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }))

/** The page of a resource: its list, and beside it one item or the form for a new one. */
export function ResourceList<Row, Filter extends string>({
  list,
  title,
  description,
  icon,
  searchLabel,
  filters,
  tools,
  empty,
  intro,
  panel: Panel,
  create,
  isEditable = false,
  ...table
}: ResourceListProps<Row, Filter>) {
  const Create = create?.form
  usePrefetch(Panel, Create)
  const createButton = (className: string) =>
    create &&
    list.canCreate && (
      <button type="button" className={className} onClick={list.create}>
        <Plus size={16} aria-hidden />
        {create.label}
      </button>
    )
  return (
    <>
      <PageHeader title={title} description={description} action={createButton('button primary')} />
      {intro}
      <DataTable<Row>
        {...list.table}
        {...table}
        label={title}
        {...(isEditable && { onEdit: (id) => list.open(id, true) })}
        filters={
          <>
            <FilterBar searchLabel={searchLabel} {...list.filterBar(filters)} />
            {tools}
          </>
        }
        empty={
          <EmptyState
            icon={icon}
            title={empty.title}
            text={empty.text}
            action={
              <>
                {empty.action || createButton('button')}
                {empty.hint}
              </>
            }
          />
        }
      />
      {Create && list.isCreating ? (
        <Create onClose={list.close} onCreated={list.open} />
      ) : (
        Panel && list.panel && <Panel {...list.panel} />
      )}
    </>
  )
}
