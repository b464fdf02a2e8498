/** Translates the words of names, so that values fit them in Spanish, Portuguese, French, Italian, German and Indonesian, too. */
const translations: Readonly<Record<string, string>> = {
  name: 'nombre nome nom nama nimi',
  'last name': 'apellido apellidos sobrenome cognome nachname',
  email: 'correo courriel surel',
  phone: 'telefono telefonos telefone telephone telepon celular movil',
  address: 'direccion endereco adresse indirizzo alamat',
  street: 'calle rua rue',
  city: 'ciudad cidade ville citta stadt kota municipio',
  country: 'pais pays land negara',
  date: 'fecha tanggal datum',
  description: 'descripcion descricao descrizione beschreibung deskripsi',
  title: 'titulo titre titolo judul',
  price: 'precio preco prix prezzo preis harga',
  quantity: 'cantidad quantidade quantite jumlah',
  image: 'imagen imagem foto gambar',
  password: 'contrasena senha',
  user: 'usuario utilisateur benutzer pengguna',
  age: 'edad idade alter umur',
}
const english = new Map(
  Object.entries(translations).flatMap(([word, others]) => others.split(' ').map((other) => [other, word])),
)

/** Names of dates that begin with the Portuguese `data`, such as `data nascimento`. */
const isDate = /^(?:fecha|tanggal|datum|data(?= (?:de |da )?(?:nasc|admis|cad|cria|inic|fim|venc|pag|compra))) (.+)$/u

export function inEnglish(words: string): string {
  const plain = words.normalize('NFD').replaceAll(/\p{M}/gu, '')
  const reordered = plain.replace(isDate, '$1 date')
  return reordered
    .split(' ')
    .map((word) => english.get(word) ?? word)
    .join(' ')
}
