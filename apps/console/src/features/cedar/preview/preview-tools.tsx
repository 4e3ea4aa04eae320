import { previewSchemes, type PreviewScheme } from '@grove/contract/cedar/preview.rules'
import { useLingui } from '@lingui/react/macro'
import { Expand, RefreshCw, RotateCwSquare, WifiOff } from 'lucide-react'
import { localeNames, type Locale } from '../../../ui/i18n/locale.ts'
import { iconName } from '../../../ui/kit/tooltip.ts'
import styles from './preview-tools.module.css'

/** CSS pixels of common devices in portrait orientation. */
export const devices = {
  small: { width: 360, height: 640 },
  phone: { width: 390, height: 844 },
  large: { width: 430, height: 932 },
  tablet: { width: 768, height: 1024 },
} as const
export type DeviceName = keyof typeof devices

interface PreviewToolsProps {
  device: DeviceName
  onDevice: (device: DeviceName) => void
  onTurn: () => void
  scheme: PreviewScheme
  onScheme: (scheme: PreviewScheme) => void
  locale: Locale
  onLocale: (locale: Locale) => void
  isOffline: boolean
  onOffline: (isOffline: boolean) => void
  onReload: () => void
  onFull: () => void
}

export function PreviewTools(props: PreviewToolsProps) {
  const { t } = useLingui()
  const { device, scheme, locale, isOffline } = props
  const deviceWords: Record<DeviceName, string> = {
    small: t`Small phone, 360 × 640`,
    phone: t`Phone, 390 × 844`,
    large: t`Large phone, 430 × 932`,
    tablet: t`Tablet, 768 × 1024`,
  }
  const schemeWords: Record<PreviewScheme, string> = {
    auto: t`System colours`,
    light: t`Light`,
    dark: t`Dark`,
  }
  return (
    <div className={styles.tools} role="toolbar" aria-label={t`Preview settings`}>
      <select
        className="select"
        aria-label={t`Device`}
        value={device}
        onChange={({ target }) => props.onDevice(target.value as DeviceName)}
      >
        {Object.entries(deviceWords).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      <select
        className="select"
        aria-label={t`Colours of the app`}
        value={scheme}
        onChange={({ target }) => props.onScheme(target.value as PreviewScheme)}
      >
        {previewSchemes.map((each) => (
          <option key={each} value={each}>
            {schemeWords[each]}
          </option>
        ))}
      </select>
      <select
        className="select"
        aria-label={t`Language of the app`}
        value={locale}
        onChange={({ target }) => props.onLocale(target.value as Locale)}
      >
        {Object.entries(localeNames).map(([code, name]) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
      <div className="actions">
        <button
          type="button"
          className="button icon"
          onClick={props.onTurn}
          {...iconName(t`Rotate`)}
        >
          <RotateCwSquare size={16} aria-hidden />
        </button>
        <button
          type="button"
          className={`button icon ${styles.switch}`}
          aria-pressed={isOffline}
          onClick={() => props.onOffline(!isOffline)}
          {...iconName(t({ message: 'Offline', context: 'of a preview' }))}
        >
          <WifiOff size={16} aria-hidden />
        </button>
        <button
          type="button"
          className="button icon"
          onClick={props.onFull}
          {...iconName(t`Full screen`)}
        >
          <Expand size={16} aria-hidden />
        </button>
        <button type="button" className="button" onClick={props.onReload}>
          <RefreshCw size={16} aria-hidden />
          {t`Reload`}
        </button>
      </div>
    </div>
  )
}
