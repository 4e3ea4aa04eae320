import { Trans } from '@lingui/react/macro'
import { useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import type { ReactNode } from 'react'
import { CopyableId } from '../text/copyable-id.tsx'
import { Pending } from '../page/pending.tsx'
import { PanelFailure } from './panel-body.tsx'
import { SidePanel, type SidePanelProps } from './side-panel.tsx'

/** What `useList` returns about the row whose panel is open. */
export interface OpenItem extends Pick<SidePanelProps, 'onPrevious' | 'onNext' | 'onClose'> {
  id: string
  isEditing: boolean
  onEdit: (isEditing: boolean) => void
}

interface ItemPanelProps<Item, Answer, Key extends QueryKey> extends OpenItem {
  query: UseQueryOptions<Answer, Error, Item, Key>
  /** Its name, or a label if the items have no names. */
  title: (item: Item) => string
  /** The text if there is no such item. */
  missing: string
  /** Its actions, besides Edit. */
  renderActions?: (item: Item) => ReactNode
  /** Its form; without it there is no Edit. */
  renderForm?: (item: Item, onEnd: () => void) => ReactNode
  /** Its details. */
  children: (item: Item) => ReactNode
}

/** The panel of one row: its details or its form, its actions, and why it is missing. */
export function ItemPanel<Item, Answer, Key extends QueryKey>({
  id,
  isEditing,
  onEdit,
  query,
  title,
  missing,
  renderActions,
  renderForm,
  children,
  ...steps
}: ItemPanelProps<Item, Answer, Key>) {
  const { data: item, error, isPlaceholderData, refetch } = useQuery(query)
  const isForm = isEditing && renderForm !== undefined
  // A form starts from the newest revision, so that its first save is not a conflict.
  const shown = isForm && isPlaceholderData ? undefined : item
  // A CPLC would fill four lines of heading; it is shown in full below.
  const name = item === undefined ? (id.length > 40 ? `${id.slice(0, 20)}…` : id) : title(item)
  return (
    <SidePanel
      {...steps}
      title={<bdi>{name}</bdi>}
      tabTitle={name}
      subtitle={<CopyableId value={id} />}
      mode={shown && (isForm ? 'form' : 'details')}
      actions={
        item !== undefined &&
        !isForm && (
          <>
            {renderForm && (
              <button type="button" className="button" data-edit onClick={() => onEdit(true)}>
                <Pencil size={16} aria-hidden />
                <Trans>Edit</Trans>
              </button>
            )}
            {renderActions?.(item)}
          </>
        )
      }
    >
      {shown !== undefined ? (
        isForm ? (
          renderForm(shown, () => onEdit(false))
        ) : (
          children(shown)
        )
      ) : error ? (
        <PanelFailure
          error={error}
          missing={missing}
          onRetry={() => void refetch()}
          onClose={steps.onClose}
        />
      ) : (
        <Pending />
      )}
    </SidePanel>
  )
}
