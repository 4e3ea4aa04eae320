import type { PagePath } from '../navigation.ts'

/** Words people use for creating something; in the format of page words. */
export const actionWords =
  'new create add make register define write upload connect новый создать добавить зарегистрировать описать написать загрузить подключить'

/**
 * What people call the pages besides their titles, in every language of the console at once: Russian
 * readers type English words too. This is data, not interface text.
 */
export const pageWords: Partial<Record<PagePath, string>> = {
  '/dashboard': 'start main attention overview начало главная обзор',
  '/dashboard/cedar/mobile':
    'mini-apps miniapps packages upload publish release store catalogue приложения мини-приложения пакеты загрузить опубликовать каталог',
  '/dashboard/cedar/notifications': 'push messages send пуш сообщения отправить рассылка',
  '/dashboard/cedar/keys':
    'token tokens ci continuous integration deploy publish key токен токены ключ ключи публикация',
  '/dashboard/cedar/activity': 'history log events who история журнал события кто',
  '/dashboard/cedar/providers':
    'organisations organizations companies tenants publishers limits fares members организации компании издатели лимиты тарифы участники',
  '/dashboard/cedar/account':
    'settings profile password passkey sign-in sessions dark light theme appearance colour color language russian english email log out delete настройки профиль пароль вход сеансы сессии тёмная темная светлая тема оформление язык русский английский почта выйти удалить',
  '/dashboard/cedar/account/details':
    'token jwt claims roles id realm access refresh токен роли идентификатор',
  '/dashboard/cedar/account/people':
    'users accounts emails invite disable пользователи учётные учетные записи почта пригласить отключить',
  '/dashboard/cedar/account/invitations':
    'invite users emails mail links пригласить пользователи почта ссылки письма',
  '/dashboard/iot': 'devices fleet things hardware устройства парк',
  '/dashboard/maple': 'overview dashboard fleet health summary обзор сводка парк состояние',
  '/dashboard/maple/providers':
    'tenants organisations companies suspend арендаторы организации компании',
  '/dashboard/maple/devices':
    'fleet hardware things iot wearables quarantine accept export tags парк устройства карантин принять выгрузка метки',
  '/dashboard/maple/imports': 'csv upload bulk jsonl spreadsheet загрузка таблица импорт файл',
  '/dashboard/maple/groups': 'lists filters segments cohorts списки фильтры сегменты группы',
  '/dashboard/maple/secure_elements':
    'chips cards se cplc keys domains чипы карты микросхемы ключи домены',
  '/dashboard/maple/secure_elements/profiles':
    'chips platforms rules kinds secure element чипы платформы правила виды элементы',
  '/dashboard/maple/secure_elements/masters':
    'diversification derive kdf3 emv visa2 issuer diversify диверсификация вывод ключей эмитент',
  '/dashboard/maple/accounts': 'users rights access expiry grants пользователи права доступ срок',
  '/dashboard/maple/roles': 'rights permissions access права разрешения доступ',
  '/dashboard/maple/cloud_handlers':
    'functions webhooks schedule cron serverless events triggers функции вебхуки расписание события',
  '/dashboard/maple/device_handlers':
    'decoders codecs payload parse binary декодеры кодеки разбор сообщения',
  '/dashboard/maple/templates':
    'apdu commands steps sequences personalisation команды шаги персонализация',
  '/dashboard/maple/scripts': 'javascript code apdu automation код автоматизация',
  '/dashboard/maple/products':
    'models hardware revisions claim codes certificates модели ревизии коды регистрации сертификаты',
  '/dashboard/maple/rollouts':
    'firmware update ota deploy campaign waves прошивка прошивки обновление обновления волны развёртывание',
  '/dashboard/maple/applets':
    'cap javacard java card aid packages install апплеты установить пакеты',
  '/dashboard/maple/binary_images':
    'firmware ota update mcuboot bin release signature прошивка прошивки обновление подпись образ',
  '/dashboard/maple/software_cards':
    'virtual simulator emulator test cards виртуальные эмулятор тестовые карты',
  '/dashboard/maple/readers': 'pcsc pc/sc nfc usb terminal считыватели терминал',
  '/dashboard/maple/approvals':
    'inbox requests confirm four eyes согласование запросы подтвердить одобрить',
  '/dashboard/maple/keys':
    'token tokens api secret moby provider organisation поставщик организация токен токены ключ ключи секрет',
  '/dashboard/maple/sessions/device':
    'connections log messages telemetry mqtt websocket подключения журнал сообщения телеметрия',
  '/dashboard/maple/sessions/se': 'apdu commands log terminal card команды журнал терминал карта',
  '/dashboard/system/jobs': 'tasks queue background running failed задачи очередь фоновые',
  '/dashboard/system/events': 'audit log history who changed аудит журнал история кто изменил',
}
