import { useLingui } from '@lingui/react/macro'
import { Archive, Copy, Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { Field } from '../../../ui/field/field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { Combobox } from '../../../ui/kit/combobox.tsx'
import { Menu, type MenuEntry } from '../../../ui/kit/menu.tsx'
import { iconName, tooltip } from '../../../ui/kit/tooltip.ts'
import { SidePanel } from '../../../ui/panel/side-panel.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { KitSection, Piece } from './sample.tsx'

/** Overlays. */
export function OverlaySection() {
  const { t } = useLingui()
  const [shown, setShown] = useState<'dialog' | 'panel'>()
  const close = () => setShown(undefined)
  const say = (text: string) => () => void notify({ text })
  const items: MenuEntry[] = [
    { id: 'edit', label: t`Edit`, icon: Pencil, onSelect: say(t`Edit was chosen.`) },
    { id: 'copy', label: t`Make a copy`, icon: Copy, onSelect: say(t`A copy was chosen.`) },
    {
      id: 'archive',
      label: t`Archive`,
      icon: Archive,
      disabledReason: t`A live version cannot be archived.`,
      onSelect: say(t`Archive was chosen.`),
    },
    'separator',
    {
      id: 'delete',
      label: t`Delete…`,
      icon: Trash2,
      isDanger: true,
      onSelect: () => void confirm({ title: t`Delete this?`, action: t`Delete`, isDanger: true }),
    },
  ]
  return (
    <KitSection title={t`Over the page`}>
      <Piece name="Menu">
        <Menu label={t`Actions`} items={items}>
          {t`Actions`}
        </Menu>
        <Menu
          label={t`More actions`}
          items={items}
          align="end"
          button={{ className: 'button quiet icon', ...iconName(t`More actions`) }}
        >
          <Ellipsis size={16} aria-hidden />
        </Menu>
      </Piece>
      <Piece name="Tooltip">
        <button type="button" className="button" {...tooltip(t`Explains the button.`)}>
          {t`Hover, focus or hold`}
        </button>
        <button
          type="button"
          className="button"
          aria-disabled
          {...tooltip(
            t`You do not have the right to do this. Ask an administrator of your provider.`,
          )}
        >
          {t`Not allowed`}
        </button>
      </Piece>
      <Piece name={t`Dialogs`}>
        <button type="button" className="button" onClick={() => setShown('dialog')}>
          {t`Open a form`}
        </button>
        <button
          type="button"
          className="button"
          onClick={() =>
            void confirm({
              title: t`Delete this?`,
              text: t`This cannot be undone.`,
              action: t`Delete`,
              isDanger: true,
              typeToConfirm: 'grove',
            })
          }
        >
          {t`Ask a question`}
        </button>
        {shown === 'dialog' && <SampleDialog items={items} onClose={close} />}
      </Piece>
      <Piece name="SidePanel">
        <button type="button" className="button" onClick={() => setShown('panel')}>
          {t`Open the side panel`}
        </button>
        {shown === 'panel' && (
          <SidePanel title={t`Turnstile`} onClose={close}>
            <p>{t`One item of a list, beside the list.`}</p>
          </SidePanel>
        )}
      </Piece>
      <Piece name={t`Messages`}>
        <button type="button" className="button" onClick={say(t`Saved.`)}>
          {t`Success`}
        </button>
        <button
          type="button"
          className="button"
          onClick={() =>
            notify({
              kind: 'failure',
              text: t`It could not be saved.`,
              action: { label: t`Try again`, run: say(t`Saved.`) },
            })
          }
        >
          {t`Failure with an action`}
        </button>
      </Piece>
    </KitSection>
  )
}

function SampleDialog({ items, onClose }: { items: MenuEntry[]; onClose: () => void }) {
  const { t } = useLingui()
  const form = useForm({
    values: { name: '' },
    submit: () => Promise.resolve(),
    onSaved: onClose,
  })
  return (
    <FormDialog title={t`New device`} form={form} submitLabel={t`Create`} onClose={onClose}>
      <Field label={t`Name`} {...form.input('name')} />
      <Combobox
        label={t`Place`}
        value={null}
        onChange={() => {}}
        options={[
          { id: 'berlin', label: 'Berlin' },
          { id: 'kazan', label: 'Kazan' },
        ]}
      />
      <div className="actions">
        <Menu label={t`More`} items={items}>
          {t`More`}
        </Menu>
        <button type="button" className="button" {...tooltip(t`Explains the button.`)}>
          {t`Help`}
        </button>
      </div>
    </FormDialog>
  )
}
