/** A place where customers live. */
export interface Place {
  country: string
  cities: readonly (readonly [name: string, latitude: number, longitude: number])[]
  streets: readonly string[]
  firstNames: readonly string[]
  lastNames: readonly string[]
  /** The prefix of all numbers of the demo in the country, and the number of digits after it. */
  phone: readonly [prefix: string, digits: number]
  currency: string
  /** The price of a roof in thousands. */
  price: readonly [least: number, most: number]
}

export const PLACES: Readonly<
  Record<'india' | 'germany' | 'spain' | 'ghana' | 'brazil' | 'emirates' | 'norway', Place>
> = {
  india: {
    country: 'India',
    cities: [
      ['Pune', 18.5204, 73.8567],
      ['Mumbai', 19.076, 72.8777],
      ['Bengaluru', 12.9716, 77.5946],
      ['Hyderabad', 17.385, 78.4867],
      ['Chennai', 13.0827, 80.2707],
      ['Ahmedabad', 23.0225, 72.5714],
      ['Jaipur', 26.9124, 75.7873],
      ['Kochi', 9.9312, 76.2673],
      ['Nagpur', 21.1458, 79.0882],
      ['Lucknow', 26.8467, 80.9462],
    ],
    streets: [
      'MG Road',
      'Station Road',
      'Linking Road',
      'Baner Road',
      'Park Street',
      'Temple Lane',
      'Lake View Colony',
    ],
    firstNames: [
      ...['Aarav', 'Aditi', 'Ananya', 'Deepak', 'Divya', 'Farhan', 'Gauri', 'Harish', 'Ishaan', 'Kavita', 'Lakshmi'],
      ...[
        'Manoj',
        'Neha',
        'Nikhil',
        'Pooja',
        'Rahul',
        'Rohan',
        'Sanjay',
        'Shreya',
        'Sunita',
        'Suresh',
        'Vikram',
        'Zoya',
      ],
    ],
    lastNames: [
      ...['Agarwal', 'Bhat', 'Chatterjee', 'Desai', 'Fernandes', 'Gupta', 'Jadhav', 'Joshi', 'Khan', 'Kulkarni'],
      ...['Mehta', 'Naidu', 'Patel', 'Pillai', 'Rao', 'Reddy', 'Shah', 'Sharma', 'Singh', 'Verma'],
    ],
    phone: ['9190000', 5],
    currency: 'INR',
    price: [140, 620],
  },
  germany: {
    country: 'Germany',
    cities: [
      ['Berlin', 52.52, 13.405],
      ['Leipzig', 51.3397, 12.3731],
      ['Freiburg', 47.999, 7.8421],
    ],
    streets: ['Lindenstraße', 'Bahnhofstraße', 'Am Mühlbach', 'Goethestraße'],
    firstNames: ['Anke', 'Björn', 'Claudia', 'Felix', 'Greta', 'Heike', 'Lukas', 'Sabine', 'Tobias'],
    lastNames: ['Becker', 'Fischer', 'Hoffmann', 'Krüger', 'Lehmann', 'Schäfer', 'Vogel', 'Zimmermann'],
    phone: ['4915550', 6],
    currency: 'EUR',
    price: [7, 28],
  },
  spain: {
    country: 'Spain',
    cities: [
      ['Valencia', 39.4699, -0.3763],
      ['Sevilla', 37.3891, -5.9845],
    ],
    streets: ['Calle Mayor', 'Avenida del Puerto', 'Calle Feria'],
    firstNames: ['Alba', 'Diego', 'Inés', 'Javier', 'Marta', 'Pablo', 'Rocío'],
    lastNames: ['Castillo', 'Domínguez', 'Moreno', 'Navarro', 'Romero', 'Vidal'],
    phone: ['34600100', 3],
    currency: 'EUR',
    price: [6, 22],
  },
  ghana: {
    country: 'Ghana',
    cities: [
      ['Accra', 5.6037, -0.187],
      ['Kumasi', 6.6885, -1.6244],
    ],
    streets: ['Oxford Street', 'Ring Road East', 'Harper Road'],
    firstNames: ['Abena', 'Akosua', 'Ama', 'Kojo', 'Kwesi', 'Nana', 'Yaw'],
    lastNames: ['Addo', 'Agyeman', 'Amoah', 'Asante', 'Darko', 'Ofori', 'Owusu'],
    phone: ['23324410', 4],
    currency: 'GHS',
    price: [48, 190],
  },
  brazil: {
    country: 'Brazil',
    cities: [
      ['São Paulo', -23.5558, -46.6396],
      ['Recife', -8.0476, -34.877],
    ],
    streets: ['Rua Augusta', 'Avenida Boa Viagem', 'Rua da Aurora'],
    firstNames: ['Beatriz', 'Caio', 'Fernanda', 'João', 'Larissa', 'Rafael', 'Thiago'],
    lastNames: ['Almeida', 'Barbosa', 'Cardoso', 'Ferreira', 'Oliveira', 'Souza'],
    phone: ['551190000', 4],
    currency: 'BRL',
    price: [16, 64],
  },
  emirates: {
    country: 'United Arab Emirates',
    cities: [
      ['Dubai', 25.2048, 55.2708],
      ['Sharjah', 25.3463, 55.4209],
    ],
    streets: ['Al Wasl Road', 'Jumeirah Beach Road', 'King Faisal Street'],
    firstNames: ['Aisha', 'Hamdan', 'Khalid', 'Layla', 'Mariam', 'Omar', 'Yusuf'],
    lastNames: ['Al Hashimi', 'Al Maktoum', 'Al Nuaimi', 'Haddad', 'Rahman', 'Siddiqui'],
    phone: ['97150000', 4],
    currency: 'AED',
    price: [24, 110],
  },
  norway: {
    country: 'Norway',
    cities: [['Oslo', 59.9139, 10.7522]],
    streets: ['Karl Johans gate', 'Grünerløkka', 'Frognerveien'],
    firstNames: ['Astrid', 'Eirik', 'Håkon', 'Liv', 'Sigrid'],
    lastNames: ['Andersen', 'Dahl', 'Haugen', 'Lund', 'Solberg'],
    phone: ['4790000', 3],
    currency: 'NOK',
    price: [75, 310],
  },
}

/** The customers of a hundred who live in each place. */
export const CUSTOMERS_OF_HUNDRED: Readonly<Record<keyof typeof PLACES, number>> = {
  india: 62,
  germany: 11,
  emirates: 8,
  ghana: 7,
  brazil: 6,
  spain: 4,
  norway: 2,
}
