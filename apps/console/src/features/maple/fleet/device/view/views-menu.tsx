import type { DeviceView } from '@grove/contract/maple/fleet/device-view'
import { maxViewNameLength } from '@grove/contract/maple/fleet/device-view.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Bookmark, Pencil, Plus, Settings2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { problemText } from '../../../../../api/problem-text.ts'
import { api } from '../../../../../session/api.ts'
import { Dialog } from '../../../../../ui/dialog/dialog.tsx'
import { FormDialog } from '../../../../../ui/dialog/form-dialog.tsx'
import { useConfirmed } from '../../../../../ui/dialog/use-confirmed.ts'
import { Fields } from '../../../../../ui/form/fields.tsx'
import { useForm } from '../../../../../ui/form/use-form.ts'
import { iconName } from '../../../../../ui/kit/tooltip.ts'
import { MenuItem } from '../../../../../ui/menu/menu-item.tsx'
import { PopoverMenu } from '../../../../../ui/menu/popover-menu.tsx'
import { notify } from '../../../../../ui/toast/notify.ts'
import listStyles from '../device.list.module.css'
import { deviceViews } from './device-view.api.ts'
import styles from './views-menu.module.css'

interface ViewsMenuProps {
  /** The list's filters and sort order, as in its URL. */
  search: string
  onOpen: (search: string) => void
}

/** The reader's saved filters and sort orders: to open, save, rename and delete. */
export function ViewsMenu({ search, onOpen }: ViewsMenuProps) {
  const { t, i18n } = useLingui()
  const { data, error } = useQuery(deviceViews.query())
  const [open, setOpen] = useState<'save' | 'edit'>()
  const views = data?.items ?? []
  const close = () => setOpen(undefined)
  return (
    <>
      <PopoverMenu
        isMenu
        ariaLabel={t`Saved views`}
        label={
          <>
            <Bookmark size={16} aria-hidden />
            <span className={listStyles.wide}>
              <Trans>Views</Trans>
            </span>
          </>
        }
      >
        {error && <p className="muted">{problemText(error, i18n)}</p>}
        {views.map((view) => (
          <MenuItem key={view.id} onSelect={() => onOpen(view.search)}>
            <bdi>{view.name}</bdi>
          </MenuItem>
        ))}
        <MenuItem onSelect={() => setOpen('save')}>
          <Plus size={16} aria-hidden />
          <Trans>Save this view…</Trans>
        </MenuItem>
        {views.length > 0 && (
          <MenuItem onSelect={() => setOpen('edit')}>
            <Settings2 size={16} aria-hidden />
            <Trans>Rename or delete…</Trans>
          </MenuItem>
        )}
      </PopoverMenu>
      {open === 'save' && <NameView search={search} onClose={close} />}
      {open === 'edit' && <EditViews views={views} onClose={close} />}
    </>
  )
}

interface NameViewProps {
  view?: DeviceView
  search?: string
  onClose: () => void
}

/** Saves a view under a name, or renames it. */
function NameView({ view, search = '', onClose }: NameViewProps) {
  const { t } = useLingui()
  const form = useForm({
    values: { name: view?.name ?? '' },
    check: ({ name }) => ({ name: name.trim() === '' ? t`Enter a name.` : undefined }),
    submit: ({ name }) =>
      view
        ? api.maple.put('/api/maple/device/view', {
            query: { id: view.id },
            ifMatch: view.revision,
            body: { name },
          })
        : api.maple.post('/api/maple/device/view', { body: { name, search } }),
    onSaved: ({ name }) => {
      notify({ text: t`The view “${name}” is saved.` })
      void deviceViews.refresh()
      onClose()
    },
    fieldOfCode: { already_exists: 'name' },
    isOnce: true,
  })
  return (
    <FormDialog
      title={view ? t`Rename the view` : t`Save this view`}
      form={form}
      submitLabel={t`Save`}
      onClose={onClose}
    >
      <Fields
        form={form}
        fields={{
          name: {
            label: t`Name`,
            hint: t`Its filters, sorting and columns are saved. Only you can see it; to share it, send its URL.`,
            maxLength: maxViewNameLength,
            autoComplete: 'off',
          },
        }}
      />
    </FormDialog>
  )
}

function EditViews({ views, onClose }: { views: readonly DeviceView[]; onClose: () => void }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const [renamed, setRenamed] = useState<DeviceView>()
  const remove = ({ id, name, revision }: DeviceView) =>
    confirmed({
      question: {
        title: t`Delete the view “${name}”?`,
        text: t`Devices stay unchanged.`,
        action: t`Delete the view`,
        isDanger: true,
      },
      change: () =>
        api.maple.delete('/api/maple/device/view', { query: { id }, ifMatch: revision }),
      done: () => t`The view “${name}” is deleted.`,
      refresh: deviceViews.refresh,
    })
  if (renamed) return <NameView view={renamed} onClose={() => setRenamed(undefined)} />
  return (
    <Dialog title={t`Saved views`} closeLabel={t`Close`} onClose={onClose}>
      {views.length === 0 && (
        <p className="muted">
          <Trans>No views saved yet.</Trans>
        </p>
      )}
      <ul className={styles.views}>
        {views.map((view) => (
          <li key={view.id}>
            <bdi>{view.name}</bdi>
            <button
              type="button"
              className="button quiet icon"
              {...iconName(t`Rename “${view.name}”`)}
              onClick={() => setRenamed(view)}
            >
              <Pencil size={16} />
            </button>
            <button
              type="button"
              className="button quiet icon"
              {...iconName(t`Delete “${view.name}”`)}
              onClick={() => void remove(view)}
            >
              <Trash2 size={16} />
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
