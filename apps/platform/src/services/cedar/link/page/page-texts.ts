import type { LocaleCode } from '@grove/contract/locale.rules'
import type { ProblemCode } from '@grove/contract/problem-codes'

export interface PageTexts {
  language: string
  version: string
  size: string
  released: string
  independent: string
  open: string
  inCatalogue: string
  scan: string
  openHere: string
  noApp: string
  nothingOpens: string
  askForApp: string
  install: string
  pinned: string
  whatsNew: string
  about: string
  screenshots: string
  screenshot: string
  qr: string
  notices: Partial<Record<ProblemCode, readonly [title: string, text: string]>>
  failed: readonly [title: string, text: string]
  home: string
}

export const pageTexts: Record<LocaleCode, PageTexts> = {
  'en-US': {
    language: 'English',
    version: 'Version',
    size: 'Size',
    released: 'Released',
    independent: 'Independent developer',
    open: 'Open in the app',
    inCatalogue: 'See it in the catalogue',
    scan: 'Scan to open on your phone',
    openHere: 'Open this link on a phone with an app that runs Grove mini-apps.',
    noApp: 'Don’t have the app yet?',
    nothingOpens: 'Nothing opens? Then the app that runs this mini-app is not on this device.',
    askForApp: 'Ask the publisher which app to install, then open this page again.',
    install: 'Install it and open this page again',
    pinned: 'This link stays with this version.',
    whatsNew: 'What’s new',
    about: 'About',
    screenshots: 'Screenshots',
    screenshot: 'Screenshot',
    qr: 'QR code of this link',
    notices: {
      not_found: ['There is no such link', 'Check the address: capital letters matter.'],
      link_removed: ['This link no longer works', 'Its publisher removed it.'],
      provider_disabled: [
        'This app is not available',
        'Its publisher does not offer it right now.',
      ],
      app_not_live: [
        'This app is not available',
        'It has no version that can be opened right now.',
      ],
      too_many_attempts: [
        'Too many links were opened',
        'Too many links were opened from your network. Wait a minute and try again.',
      ],
      database_unavailable: ['Try again shortly', 'The service cannot access its data right now.'],
    },
    failed: ['Something went wrong', 'It has been recorded. Try again later.'],
    home: 'All apps',
  },
  'ru-RU': {
    language: 'Русский',
    version: 'Версия',
    size: 'Размер',
    released: 'Вышла',
    independent: 'Независимый разработчик',
    open: 'Открыть в приложении',
    inCatalogue: 'Посмотреть в каталоге',
    scan: 'Наведите камеру, чтобы открыть на телефоне',
    openHere: 'Откройте ссылку на телефоне, где есть приложение с мини‑приложениями Grove.',
    noApp: 'У вас нет такого приложения?',
    nothingOpens:
      'Ничего не открылось? Значит, на этом устройстве нет приложения, которое запускает это мини‑приложение.',
    askForApp: 'Спросите у издателя, какое приложение установить, и снова откройте эту страницу.',
    install: 'Установите его и снова откройте эту страницу',
    pinned: 'Эта ссылка всегда ведёт на эту версию.',
    whatsNew: 'Что нового',
    about: 'О приложении',
    screenshots: 'Снимки экрана',
    screenshot: 'Снимок экрана',
    qr: 'QR-код этой ссылки',
    notices: {
      not_found: ['Такой ссылки нет', 'Проверьте адрес: заглавные буквы важны.'],
      link_removed: ['Ссылка больше не действует', 'Её убрал издатель.'],
      provider_disabled: ['Приложение недоступно', 'Сейчас издатель его не предлагает.'],
      app_not_live: ['Приложение недоступно', 'Сейчас нет версии, которую можно открыть.'],
      too_many_attempts: [
        'Слишком много переходов',
        'Из вашей сети открыли слишком много ссылок. Подождите минуту и попробуйте снова.',
      ],
      database_unavailable: ['Попробуйте чуть позже', 'Сервис не может получить данные.'],
    },
    failed: ['Что-то пошло не так', 'Ошибка записана. Попробуйте позже.'],
    home: 'Все приложения',
  },
}
