import { useLingui } from '@lingui/react/macro'
import { Pencil, Plus } from 'lucide-react'
import { Field } from '../../../ui/field/field.tsx'
import { PasswordField } from '../../../ui/field/password-field.tsx'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { iconName, tooltip } from '../../../ui/kit/tooltip.ts'
import styles from './kit-page.module.css'
import { KitSection, Piece } from './sample.tsx'

/** Buttons, fields and a form. */
export function ControlSection() {
  const { t } = useLingui()
  return (
    <KitSection title={t`Controls`}>
      <Piece name={t`Buttons`}>
        <button type="button" className="button primary">{t`Publish`}</button>
        <button type="button" className="button">{t`Save`}</button>
        <button type="button" className="button quiet">{t`Cancel`}</button>
        <button type="button" className="button danger">{t`Delete`}</button>
        <button type="button" className="button">
          <Plus size={16} aria-hidden />
          {t`New app`}
        </button>
        <button type="button" className="button icon" {...iconName(t`Edit`)}>
          <Pencil size={16} aria-hidden />
        </button>
        <button type="button" className="button small">{t`Small`}</button>
        <button
          type="button"
          className="button primary"
          aria-disabled
          {...tooltip(t`Nothing has changed.`)}
        >
          {t`Disabled with a reason`}
        </button>
        <button type="button" className="button" disabled>{t`Disabled`}</button>
        <button type="button" className="link">{t`Looks like a link`}</button>
      </Piece>
      <Piece name={t`Field`}>
        <Field className={styles.column} label={t`Empty`} />
        <Field className={styles.column} label={t`Filled`} defaultValue={t`Coffee at the corner`} />
        <Field
          className={styles.column}
          label={t`With a hint`}
          hint={t`Up to 30 characters.`}
          placeholder={t`For example: Timetable`}
        />
        <Field
          className={styles.column}
          label={t`With an error`}
          defaultValue="1.0"
          error={t`Enter three numbers, such as 1.2.0.`}
        />
        <Field className={styles.column} label={t`Disabled`} defaultValue="1.0.0" disabled />
        <Field className={styles.column} label={t`Read-only`} defaultValue="1.0.0" readOnly />
        <PasswordField className={styles.column} autoComplete="off" />
      </Piece>
      <Piece name="select, textarea, checkbox">
        <select className="select" aria-label={t`State`}>
          <option>{t`Any`}</option>
          <option>{t`Online`}</option>
        </select>
        <textarea className="input" aria-label={t`Description`} rows={2} />
        <label className="field">
          <span>{t`A checkbox`}</span>
          <input type="checkbox" defaultChecked />
        </label>
      </Piece>
      <Piece name="FormShell">
        <SampleForm />
      </Piece>
    </KitSection>
  )
}

function SampleForm() {
  const { t } = useLingui()
  const form = useForm({
    values: { name: '' },
    check: ({ name }) => (name.trim() === '' ? { name: t`Enter a name first.` } : {}),
    submit: ({ name }) => (name === 'fail' ? Promise.reject(new Error(name)) : Promise.resolve()),
    needsChange: true,
  })
  return (
    <div className={styles.column}>
      <FormShell form={form} submitLabel={t`Save`}>
        <Field
          label={t`Name`}
          hint={t`The server rejects the name “fail”.`}
          {...form.input('name')}
        />
      </FormShell>
    </div>
  )
}
