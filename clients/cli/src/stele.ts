console.log('stele');
