import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import {
  hostPattern,
  miniAppPermissions,
  permissionPattern,
  type MiniAppPermission,
  type RightMode,
} from '@grove/contract/cedar/mini-app-right.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { Plus } from 'lucide-react'
import { useId, useState } from 'react'
import { api } from '../../../session/api.ts'
import { Field } from '../../../ui/field/field.tsx'
import { SelectField } from '../../../ui/field/select-field.tsx'
import { codeField } from '../../../ui/form/fields.tsx'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { useNewest } from '../../../ui/form/use-newest.ts'
import { iconName } from '../../../ui/kit/tooltip.ts'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { providers } from './provider.api.ts'
import styles from './provider-users.module.css'

/** As the form holds them: a mode for each permission, and the hosts as text. */
interface RightValues {
  modes: Record<string, RightMode>
  hosts: string
}

const hostsOf = (text: string) => text.split(/[\s,]+/).filter(Boolean)

function valuesOf({ miniAppRights }: AdminProvider): RightValues {
  const none = miniAppPermissions.map((name) => [name, 'none'] as const)
  const own = miniAppRights.map(({ permission, mode }) => [permission, mode] as const)
  const network = miniAppRights.find(({ permission }) => permission === 'network')
  return { modes: Object.fromEntries([...none, ...own]), hosts: network?.hosts.join('\n') ?? '' }
}

/** Denied permissions are left out. */
const rightsOf = ({ modes, hosts }: RightValues) =>
  Object.entries(modes)
    .filter(([, mode]) => mode !== 'none')
    .map(([permission, mode]) => ({
      permission,
      mode,
      hosts: permission === 'network' ? hostsOf(hosts) : [],
    }))

/** What the provider's mini-apps may request. */
export function ProviderRights({ provider }: { provider: AdminProvider }) {
  const heading = useId()
  return (
    <section className={styles.users} aria-labelledby={heading}>
      <h3 id={heading}>
        <Trans>Permissions of its mini-apps</Trans>
      </h3>
      {provider.rights.change === null ? (
        <RightsForm provider={provider} />
      ) : (
        <RightFacts {...provider} />
      )}
    </section>
  )
}

function RightFacts({ miniAppRights }: Pick<AdminProvider, 'miniAppRights'>) {
  const names = usePermissionNames()
  const words = useModeWords()
  if (miniAppRights.length === 0)
    return (
      <p className="muted">
        <Trans>None are allowed. An administrator can grant what an app needs.</Trans>
      </p>
    )
  return (
    <PanelFacts
      facts={miniAppRights.map(({ permission, mode, hosts }) => [
        names[permission as MiniAppPermission] ?? permission,
        [words[mode], ...hosts].join(' · '),
      ])}
    />
  )
}

function RightsForm({ provider }: { provider: AdminProvider }) {
  const { t } = useLingui()
  const names = usePermissionNames()
  const form = useForm({
    values: valuesOf(provider),
    needsChange: true,
    check: ({ hosts }) => {
      const wrong = hostsOf(hosts).find((host) => !new RegExp(hostPattern).test(host))
      return {
        hosts:
          wrong === undefined
            ? undefined
            : t`${wrong} is not a host name. Write names such as api.example.com or *.example.com.`,
      }
    },
    submit: (values) =>
      api.cedar.put('/api/admin/provider/{id}', {
        params: { id: provider.id },
        ifMatch: provider.revision,
        body: { miniAppRights: rightsOf(values) },
      }),
    onSaved: (saved) => {
      notify({ text: t`Saved.` })
      void providers.refresh(saved)
    },
  })
  useNewest(form, provider.revision, valuesOf(provider))
  const words = useModeWords()
  const { modes } = form.values
  const setMode = (permission: string, mode: RightMode) =>
    form.set((now) => ({ modes: { ...now.modes, [permission]: mode } }))
  return (
    <FormShell
      form={form}
      place="section"
      submitLabel={t`Save`}
      draft={`provider rights ${provider.id}`}
    >
      <p className="muted">
        <Trans>
          A version cannot go live if its package requires a permission that is not allowed here. An
          app must also work without optional permissions.
        </Trans>
      </p>
      {Object.entries(modes).map(([permission, mode]) => (
        <SelectField
          key={permission}
          label={names[permission as MiniAppPermission] ?? permission}
          value={mode}
          words={words}
          onChange={(chosen) => setMode(permission, chosen)}
        />
      ))}
      {modes['network'] !== 'none' && (
        <Field
          label={t`Hosts that apps may connect to`}
          hint={t`Separated by spaces; *. matches all subdomains.`}
          {...codeField}
          {...form.input('hosts')}
        />
      )}
      <AddPermission known={Object.keys(modes)} onAdd={(name) => setMode(name, 'optional')} />
    </FormShell>
  )
}

/** A permission in a manifest that Grove has no name for. */
function AddPermission({ known, onAdd }: { known: string[]; onAdd: (name: string) => void }) {
  const { t } = useLingui()
  const [name, setName] = useState('')
  const isKnown = known.some((each) => each.toLowerCase() === name.toLowerCase())
  const isRight = new RegExp(permissionPattern).test(name) && !isKnown
  const add = () => {
    if (!isRight) return
    onAdd(name)
    setName('')
  }
  return (
    <Field
      label={t`Another permission`}
      hint={t`As named in the manifest.`}
      {...codeField}
      value={name}
      onChange={({ target }) => setName(target.value.trim())}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || name === '') return
        event.preventDefault()
        add()
      }}
      error={
        name === '' || isRight
          ? undefined
          : isKnown
            ? t`This permission is already listed.`
            : t`Use letters, digits and . _ : - only.`
      }
      adornment={
        <button
          type="button"
          className="field-button"
          aria-disabled={!isRight}
          onClick={add}
          {...iconName(t`Add the permission`)}
        >
          <Plus size={16} aria-hidden />
        </button>
      }
    />
  )
}

function useModeWords(): Record<RightMode, string> {
  const { t } = useLingui()
  return {
    none: t({ message: 'Not allowed', context: 'a permission' }),
    optional: t`Optional`,
    granted: t`May be required`,
  }
}

function usePermissionNames(): Record<MiniAppPermission, string> {
  const { t } = useLingui()
  return {
    camera: t`Camera`,
    location: t`Location`,
    contacts: t`Contacts`,
    userName: t`Name of the user`,
    profilePhoto: t`Profile photo`,
    fileDownload: t`Downloads`,
    push: t`Push notifications`,
    payment: t`Payments`,
    wearable: t`Wearables`,
    network: t`Network`,
  }
}
